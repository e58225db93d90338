import { AsyncLocalStorage } from 'node:async_hooks';

/** How long the statements took that somebody has awaited within `timingStatements`, milliseconds. */
const spent = new AsyncLocalStorage<{ ms: number } | undefined>();

/** Runs `work` and adds up what its statements take; `statementMs` says how much it is so far. */
export const timingStatements = async <Result>(work: () => Promise<Result>): Promise<Result> =>
  await spent.run({ ms: 0 }, work);

/** Runs `work` for several who wait: its statements count for none of them; each counts how long he waited himself. */
export const timingNone = async <Result>(work: () => Promise<Result>): Promise<Result> =>
  await spent.run(undefined, work);

export const statementMs = (): number => Math.round(spent.getStore()?.ms ?? 0);

/** Begins to time a statement; call what it gives when the statement has settled. */
export function beginStatement(): () => void {
  const mine = spent.getStore();
  if (mine === undefined) return () => undefined;
  const startedAt = performance.now();
  return () => {
    mine.ms += performance.now() - startedAt;
  };
}
