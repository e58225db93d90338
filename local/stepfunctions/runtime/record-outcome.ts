import { statusChangeEvents } from '../events/status-change.ts';
import type { LogRecord } from '../execution/record.ts';
import type { ExecutionView } from '../execution/view.ts';
import type { Store } from '../store/store.ts';

/**
 * Beside the log entry: the execution's row if its status changed, and the status-change events.
 * Runs in the entry's transaction, so that neither can be lost or invented by a crash.
 */
export function recordOutcome(
  store: Store,
  view: ExecutionView,
  records: readonly LogRecord[],
  emitsStatusEvents: boolean,
): void {
  if (!records.some(changesStatus)) return;
  const { identity } = view;
  if (identity.express && identity.mapRunArn === undefined && view.status !== 'RUNNING') {
    // An Express execution has no history and cannot be described: it is kept while it runs.
    store.log.remove(identity.id);
    store.executions.remove(identity.id);
    return;
  }
  if (view.status !== 'RUNNING' || view.redriveCount > 0) {
    store.executions.update(identity.id, {
      status: view.status,
      redriveCount: view.redriveCount,
      lastEventId: view.lastEventId,
      ...(view.stoppedAt !== undefined && { stoppedAt: view.stoppedAt }),
      ...(view.outputText !== undefined && { output: view.outputText }),
      ...(view.failure?.error !== undefined && { error: view.failure.error }),
      ...(view.failure?.cause !== undefined && { cause: view.failure.cause }),
      ...(view.redrivenAt !== undefined && { redrivenAt: view.redrivenAt }),
    });
  }
  if (!emitsStatusEvents || identity.express) return;
  for (const event of statusChangeEvents(view, records)) store.outbox.add(JSON.stringify(event));
}

function changesStatus({ type }: LogRecord): boolean {
  return type.startsWith('Execution');
}
