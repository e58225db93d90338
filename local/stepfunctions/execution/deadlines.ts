import { leaves, type Attempt, type ExecutionView, type Thread } from './view.ts';

/** When the whole execution runs out of time (the machine's TimeoutSeconds); a redrive starts it anew. */
export function executionDeadline(view: ExecutionView): number {
  const { timeoutSeconds } = view.machine;
  if (timeoutSeconds === undefined) return Infinity;
  return (view.redrivenAt ?? view.startedAt) + timeoutSeconds * 1000;
}

/**
 * When an attempt times out. The clock starts when it is started, a heartbeat resets the heartbeat's.
 * https://docs.aws.amazon.com/step-functions/latest/dg/state-task.html
 */
export function attemptDeadline(attempt: Attempt): number {
  if (attempt.stage === 'scheduled') return Infinity;
  return Math.min(
    attempt.startedAt + (attempt.timeoutSeconds ?? Infinity) * 1000,
    attempt.heartbeatAt + (attempt.heartbeatSeconds ?? Infinity) * 1000,
  );
}

function threadDeadline(thread: Thread): number {
  if (thread.at.kind !== 'inside') return Infinity;
  const { phase } = thread.at.open;
  switch (phase.kind) {
    case 'waiting':
      return phase.until;
    case 'retrying':
      return phase.dueAt;
    case 'attempt':
      return attemptDeadline(phase.attempt);
    default:
      return Infinity;
  }
}

/** The next moment at which something happens by itself; Infinity if nothing does. */
export function nextDeadline(view: ExecutionView): number {
  if (view.status !== 'RUNNING') return Infinity;
  let earliest = executionDeadline(view);
  for (const thread of leaves(view.root)) earliest = Math.min(earliest, threadDeadline(thread));
  return earliest;
}

/** Whether a thread's own deadline has come. */
export function isDue(thread: Thread, now: number): boolean {
  return threadDeadline(thread) <= now;
}
