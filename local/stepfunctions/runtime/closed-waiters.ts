import type { ExecutionView } from '../execution/view.ts';

export type ClosedWaiters = ReturnType<typeof createClosedWaiters>;

/** Those who wait for an execution to end: StartSyncExecution and parents of `.sync` executions. */
export function createClosedWaiters() {
  const waiters = new Map<string, Set<(view: ExecutionView) => void>>();
  return {
    /** Returns how to stop waiting. */
    add(executionArn: string, whenClosed: (view: ExecutionView) => void): () => void {
      const known = waiters.get(executionArn) ?? new Set();
      waiters.set(executionArn, known);
      known.add(whenClosed);
      return () => {
        known.delete(whenClosed);
        if (known.size === 0 && waiters.get(executionArn) === known) waiters.delete(executionArn);
      };
    },
    closed(view: ExecutionView): void {
      const known = waiters.get(view.identity.arn);
      if (!known) return;
      waiters.delete(view.identity.arn);
      for (const whenClosed of known) whenClosed(view);
    },
  };
}
