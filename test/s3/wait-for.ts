import { setTimeout as delay } from 'node:timers/promises';

/** Asks again every 10 ms until it is so; fails after the timeout. */
export async function waitFor(
  isTrue: () => boolean | Promise<boolean>,
  timeoutMs: number,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await isTrue())) {
    if (performance.now() > deadline)
      throw new Error(`not so within ${timeoutMs} ms: ${String(isTrue)}`);
    await delay(10);
  }
}
