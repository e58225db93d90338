import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs } from '../backoff.ts';

const maxTries = 8;
const backoff = { firstMs: 20, capMs: 500 };

/**
 * Runs a statement or transaction again that PostgreSQL has rolled back to end a deadlock, or because it could not be
 * put in order with another one: nothing of it is written, and the other one is through. The last error is thrown.
 */
export async function retryingDeadlocks<Result>(
  work: () => Promise<Result>,
  random: () => number = Math.random,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === maxTries || !isRolledBack(error)) throw error;
      await delay(backoffMs(tries, backoff, random));
    }
  }
}

/** serialization_failure, deadlock_detected (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const isRolledBack = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === '40001' || error.code === '40P01');
