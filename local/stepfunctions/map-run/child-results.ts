import { parseEntry } from '../execution/fold.ts';
import type { JsonObject } from '../language/json.ts';
import type { ExecutionRow } from '../store/executions.ts';
import type { MapRunRow } from '../store/map-runs.ts';
import type { Store } from '../store/store.ts';
import type { ChildResult } from './write-results.ts';

const PAGE = 500;

/**
 * The children of a Map Run in the order of their items, a page of them in memory at a time.
 * `withInput`: their inputs too, which are read from their logs.
 */
export function* childResults(
  store: Store,
  run: MapRunRow,
  withInput: boolean,
): Generator<ChildResult> {
  for (let after = -1; ;) {
    const children = store.mapRuns.started(run.id, after, PAGE);
    for (const { execution } of children) {
      const row = store.executions.get(execution);
      if (row) yield resultOf(store, row, withInput);
    }
    after = children.at(-1)?.position ?? after;
    if (children.length < PAGE) break;
  }
  for (let after = -1; ;) {
    const children = store.mapRuns.pending(run.id, after, PAGE);
    for (const { input } of children) {
      yield {
        status: 'PENDING',
        metadata: { Input: input, InputDetails: { Included: true }, Status: 'PENDING' },
      };
    }
    after = children.at(-1)?.position ?? after;
    if (children.length < PAGE) return;
  }
}

/** The members and their spelling are those of AWS's result files. */
function resultOf(store: Store, row: ExecutionRow, withInput: boolean): ChildResult {
  const hasSucceeded = row.status === 'SUCCEEDED';
  const metadata: JsonObject = {
    ...(row.cause !== undefined && { Cause: row.cause }),
    ...(row.error !== undefined && { Error: row.error }),
    ExecutionArn: row.arn,
    ...(withInput && { Input: inputOf(store, row) }),
    InputDetails: { Included: withInput },
    Name: row.name,
    ...(row.output !== undefined && { Output: row.output }),
    OutputDetails: { Included: row.output !== undefined },
    RedriveCount: row.redriveCount,
    RedriveStatus: hasSucceeded ? 'NOT_REDRIVABLE' : 'REDRIVABLE_BY_MAP_RUN',
    ...(hasSucceeded && {
      RedriveStatusReason: 'Execution is SUCCEEDED and cannot be redriven',
    }),
    StartDate: new Date(row.startedAt).toISOString(),
    StateMachineArn: row.machineArn,
    Status: row.status,
    ...(row.stoppedAt !== undefined && { StopDate: new Date(row.stoppedAt).toISOString() }),
  };
  return {
    status: hasSucceeded ? 'SUCCEEDED' : 'FAILED',
    metadata,
    ...(hasSucceeded && row.output !== undefined && { output: row.output }),
  };
}

function inputOf(store: Store, row: ExecutionRow): string {
  const [first] = parseEntry(store.log.readFirst(row.id) ?? '[]');
  return first?.type === 'ExecutionStarted' ? first.input : '';
}
