import type { HistoryEvent } from '@aws-sdk/client-sfn';
import type { Logger } from 'pino';
import { openStates, stateTimes } from './state-times.ts';
import type { Sql } from './store/connect.ts';
import {
  addStateTimes,
  claimFinishedRuns,
  forgetOldStateTimes,
  type RunToRead,
} from './store/state-times.ts';
import {
  claimRunsToWatch,
  forgetEndedRuns,
  leastSlowSeconds,
  recordLooks,
} from './store/watched-runs.ts';

export type WatchDeps = {
  readonly sql: Sql;
  /** The job types that have a state machine. */
  readonly types: readonly string[];
  /** One page of an execution's history, of 1,000 events at most; waits its turn under AWS's rate. */
  readonly readEvents: (
    run: RunToRead,
    order: 'oldest-first' | 'newest-first',
  ) => Promise<readonly HistoryEvent[]>;
  /** Whether the process is to end: then no further history is read. */
  readonly isEnding: () => boolean;
  readonly log: Logger;
};

/** How often one worker or another takes its turn. */
export const watchEverySeconds = 30;
/** Histories read in a turn: of finished runs, of all types together, and of running ones. */
const finishedRuns = 60;
const mostOfAType = 20;
const runningRuns = 50;

/**
 * Measures the states of some runs that have finished, and looks where runs are that have lasted for long: at most 110
 * calls of GetExecutionHistory in 30 seconds, whatever the load. Several workers share the work.
 */
export async function watchStates(
  deps: WatchDeps,
  // A turn a little early is another worker's.
  { everySeconds = watchEverySeconds - 5, leastSeconds = leastSlowSeconds } = {},
): Promise<void> {
  const { sql, types } = deps;
  if (types.length === 0) return;
  const perType = Math.max(1, Math.min(mostOfAType, Math.floor(finishedRuns / types.length)));
  const finished = await claimFinishedRuns(sql, types, { perType, everySeconds });
  const times = await readAll(deps, finished, 'oldest-first', (run, events) =>
    stateTimes(events).map((time) => ({ ...time, type: run.type })),
  );
  if (times.length > 0) await addStateTimes(sql, times.flat());
  await forgetOldStateTimes(sql);

  await forgetEndedRuns(sql);
  const wanted = { limit: runningRuns, everySeconds, leastSeconds };
  const running = await claimRunsToWatch(sql, wanted);
  const looks = await readAll(deps, running, 'newest-first', ({ jobId }, events) => ({
    jobId,
    openStates: openStates(events),
  }));
  if (looks.length > 0) await recordLooks(sql, looks);
}

/** One after the other, so that who else waits for the rate gets between. What cannot be read is left for another turn. */
async function readAll<Result>(
  { readEvents, isEnding, log }: WatchDeps,
  runs: readonly RunToRead[],
  order: 'oldest-first' | 'newest-first',
  digest: (run: RunToRead, events: readonly HistoryEvent[]) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const run of runs) {
    if (isEnding()) break;
    try {
      results.push(digest(run, await readEvents(run, order)));
    } catch (error) {
      log.warn({ err: error, jobId: run.jobId }, 'a history could not be read');
    }
  }
  return results;
}
