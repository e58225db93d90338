import { ownerArn } from '../execution/map-run-arn.ts';
import { MAX_HISTORY_EVENTS } from '../execution/turn.ts';
import type { ExecutionRow } from '../store/executions.ts';
import type { Api } from './operation.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const REDRIVABLE_PERIOD_MS = 14 * DAY_MS;
const MAX_EXECUTION_MS = 365 * DAY_MS;

export type RedriveStatus =
  | { readonly status: 'REDRIVABLE' }
  | { readonly status: 'NOT_REDRIVABLE' | 'REDRIVABLE_BY_MAP_RUN'; readonly reason?: string };

/**
 * Whether an execution may be redriven, and if not, which of AWS's documented reasons holds.
 * The 14 days count from the last end of the execution (that a redrive starts them anew is not
 * verified on AWS).
 * https://docs.aws.amazon.com/step-functions/latest/dg/redrive-executions.html
 */
export function redriveStatus({ store, clock }: Api, row: ExecutionRow): RedriveStatus {
  const no = (reason: string): RedriveStatus => ({ status: 'NOT_REDRIVABLE', reason });
  const now = clock.now();
  if (row.status === 'RUNNING' || row.status === 'SUCCEEDED' || row.status === 'PENDING_REDRIVE') {
    return no(`Execution is ${row.status} and cannot be redriven`);
  }
  if (store.machines.machine(ownerArn(row.machineArn))?.deleting ?? true) {
    return no('State machine is in DELETING status');
  }
  // Room is needed for ExecutionRedriven and one more event.
  if ((row.lastEventId ?? 0) >= MAX_HISTORY_EVENTS - 1) {
    return no('Execution history event limit exceeded');
  }
  if (now - (row.stoppedAt ?? now) > REDRIVABLE_PERIOD_MS) {
    return no('Execution redrivable period exceeded');
  }
  if (now - row.startedAt > MAX_EXECUTION_MS) {
    return no('Execution has exceeded the max execution time');
  }
  return row.mapRunArn === undefined
    ? { status: 'REDRIVABLE' }
    : { status: 'REDRIVABLE_BY_MAP_RUN' };
}
