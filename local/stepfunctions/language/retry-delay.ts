import type { Retrier } from '../definition/ast.ts';

/**
 * How long to wait before the next attempt, in seconds: IntervalSeconds × BackoffRate^attempts, at most
 * MaxDelaySeconds, and with JitterStrategy FULL anything between 0 and that. `attempts` counts the retries this
 * Retrier has made; `random` gives [0, 1).
 */
export function retryDelaySeconds(
  retrier: Retrier,
  attempts: number,
  random: () => number,
): number {
  const delay = retrier.intervalSeconds * retrier.backoffRate ** attempts;
  const capped = Math.min(delay, retrier.maxDelaySeconds ?? Infinity, longestDelaySeconds);
  return retrier.jitterStrategy === 'FULL' ? capped * random() : capped;
}

/** MaxDelaySeconds's own upper limit; without one a backoff would soon pass any clock. */
const longestDelaySeconds = 31_622_400;
