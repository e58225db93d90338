import { setTimeout as delay } from 'node:timers/promises';

/**
 * Gives out `ratePerSecond` tokens a second, up to a second's worth saved; `take` waits its turn, first come first
 * served. `now` gives milliseconds of a clock that never goes back.
 */
export function createTokenBucket(
  ratePerSecond: number,
  now: () => number,
): { take(): Promise<void> } {
  const msPerToken = 1_000 / ratePerSecond;
  // The moment at which the next token falls due; it may lie up to a second in the past.
  let nextAt = now() - 1_000;
  return {
    async take() {
      const at = Math.max(nextAt, now() - 1_000);
      nextAt = at + msPerToken;
      const waitMs = at - now();
      if (waitMs > 0) await delay(waitMs);
    },
  };
}
