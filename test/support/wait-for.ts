import { setTimeout as delay } from 'node:timers/promises';

/**
 * Asks again and again until the answer is neither false, null nor undefined, and returns it.
 *
 * Throws after `timeoutMs`, naming what was waited for and the last error of the predicate, if it threw.
 */
export async function waitFor<T>(
  predicate: () => T | Promise<T>,
  timeoutMs: number,
  what = predicate.toString(),
): Promise<Exclude<T, false | null | undefined>> {
  const deadline = performance.now() + timeoutMs;
  let lastError: unknown;
  for (;;) {
    try {
      const answer = await predicate();
      if (holds(answer)) return answer;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    if (performance.now() > deadline) {
      throw new Error(`not within ${timeoutMs} ms: ${what}`, { cause: lastError });
    }
    await delay(20);
  }
}

function holds<T>(answer: T): answer is Exclude<T, false | null | undefined> {
  return answer !== false && answer !== null && answer !== undefined;
}
