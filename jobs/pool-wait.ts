import type { Sql } from './store/connect.ts';

/** How long a statement waits for a connection of the pool, and for the shortest possible answer. */
export type PoolWait = {
  /** Takes a sample; gives it in milliseconds, or null where the database did not answer. */
  sample(): Promise<number | null>;
  /** Of the last 100 samples; null while there are too few to tell. */
  p99Ms(): number | null;
};

const kept = 100;
const fewest = 20;

/**
 * Measured from outside, by the time of `select 1` through the pool: the library (postgres 3.4.9) tells nothing of
 * its queue. `report` hears of each sample.
 */
export function createPoolWait(
  sql: Sql,
  now: () => number,
  report: (ms: number) => void = () => undefined,
): PoolWait {
  const samples: number[] = [];
  let isConnected = false;
  return {
    async sample() {
      const startedAt = now();
      const answered = await sql`select 1`.then(
        () => true,
        () => false, // said by every other statement; here only the time counts
      );
      const ms = now() - startedAt;
      // The first one opens the connection, which is no wait of others.
      const isFirst = !isConnected;
      isConnected = answered;
      if (isFirst) return answered ? ms : null;
      samples.push(ms);
      if (samples.length > kept) samples.shift();
      report(ms);
      return answered ? ms : null;
    },
    p99Ms() {
      if (samples.length < fewest) return null;
      const sorted = samples.toSorted((a, b) => a - b);
      return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? null;
    },
  };
}
