import type { LogRecord } from '../execution/record.ts';
import type { ExecutionView } from '../execution/view.ts';
import type { Store } from '../store/store.ts';

/**
 * Beside the log entry: the rows of the Map Runs that the turn started or ended. Runs in the
 * entry's transaction.
 */
export function recordMapRuns(
  store: Store,
  view: ExecutionView,
  records: readonly LogRecord[],
): void {
  for (const record of records) {
    switch (record.type) {
      case 'MapRunStarted': {
        const {
          mapRunArn,
          at,
          type: _type,
          id: _id,
          prev: _prev,
          thread: _thread,
          ...run
        } = record;
        store.mapRuns.insert({
          ...run,
          arn: mapRunArn,
          execution: view.identity.id,
          // …:mapRun:NAME/LABEL:ID, and …:stateMachine:NAME/LABEL
          machineArn: mapRunArn
            .slice(0, mapRunArn.lastIndexOf(':'))
            .replace(':mapRun:', ':stateMachine:'),
          startedAt: at,
        });
        break;
      }
      case 'MapRunSucceeded':
        store.mapRuns.end(record.mapRunArn, 'SUCCEEDED', record.at);
        break;
      case 'MapRunFailed':
        store.mapRuns.end(record.mapRunArn, 'FAILED', record.at);
        break;
      default:
    }
  }
}
