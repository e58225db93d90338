import { REDRIVABLE_PERIOD_MS } from '../map-run/run-map.ts';
import type { MapRunRow } from '../store/map-runs.ts';
import type { Api } from './operation.ts';

type Counted = { readonly status: string; readonly executions: number; readonly items: number };

/**
 * The executionCounts and itemCounts of DescribeMapRun.
 * https://docs.aws.amazon.com/step-functions/latest/apireference/API_MapRunExecutionCounts.html
 */
export function mapRunCounts(
  api: Api,
  run: MapRunRow,
): { executionCounts: object; itemCounts: object } {
  const tally = api.mapRuns.tally(run.arn);
  if (tally) {
    const counts = [...tally.byStatus].map(([status, count]) => ({ status, ...count }));
    return {
      executionCounts: counted(counts, 'executions', run.resultsWritten, 0),
      itemCounts: counted(counts, 'items', run.resultsWritten, 0),
    };
  }
  const counts = api.store.mapRuns.counts(run.id, api.clock.now() - REDRIVABLE_PERIOD_MS);
  const sum = (of: 'notRedrivable' | 'itemsNotRedrivable'): number =>
    counts.reduce((total, each) => total + each[of], 0);
  return {
    executionCounts: counted(counts, 'executions', run.resultsWritten, sum('notRedrivable')),
    itemCounts: counted(counts, 'items', run.resultsWritten, sum('itemsNotRedrivable')),
  };
}

function counted(
  counts: readonly Counted[],
  what: 'executions' | 'items',
  resultsWritten: number,
  failuresNotRedrivable: number,
): object {
  const of = (status: string): number => counts.find((each) => each.status === status)?.[what] ?? 0;
  return {
    pending: of('PENDING'),
    running: of('RUNNING'),
    succeeded: of('SUCCEEDED'),
    failed: of('FAILED'),
    timedOut: of('TIMED_OUT'),
    aborted: of('ABORTED'),
    total: counts.reduce((total, each) => total + each[what], 0),
    resultsWritten,
    failuresNotRedrivable,
    pendingRedrive: of('PENDING_REDRIVE'),
  };
}
