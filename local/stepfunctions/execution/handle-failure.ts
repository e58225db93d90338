import type { Catcher, Retrier, State } from '../definition/ast.ts';
import { finishCatch } from '../language/finish-state.ts';
import type { Awaitable } from '../language/json.ts';
import { findTaker } from '../language/match-error.ts';
import { retryDelaySeconds } from '../language/retry-delay.ts';
import { abortThread } from './abort-thread.ts';
import { evaluate } from './evaluate.ts';
import { exitState } from './exit-state.ts';
import type { Failure } from './record.ts';
import { scopeOf } from './scope-of.ts';
import type { Turn } from './turn.ts';
import { openOf, type OpenState, type Thread } from './view.ts';

/**
 * A state has failed: retry it, or catch the error, or fail its thread.
 * `prev` is the event that led here, where it is not the thread's last (a branch failed).
 */
export function handleFailure(
  turn: Turn,
  thread: Thread,
  failure: Failure,
  prev: number,
): Awaitable<void> {
  const open = openOf(thread);
  const retrier = findRetrier(open, failure);
  if (retrier) return scheduleRetry(turn, thread, retrier, failure, prev);
  const { state } = open;
  // AWS closes a failed Parallel or Map by an event of its own, but not after a runtime error.
  if ((state.type === 'Parallel' || state.type === 'Map') && failure.error !== 'States.Runtime') {
    turn.emit(thread, { type: `${state.type}StateFailed`, ...failure }, { prev });
    return catchFailure(turn, thread, open, failure, thread.lastEventId);
  }
  return catchFailure(turn, thread, open, failure, prev);
}

type UsableRetrier = { retrier: Retrier; index: number };

/** The first retrier whose ErrorEquals matches decides; when it is used up there is no retry. */
function findRetrier(open: OpenState, failure: Failure): UsableRetrier | undefined {
  const retriers = handlersOf(open.state).retry;
  const index = findTaker(retriers, failure.error, failure.alias);
  const retrier = retriers[index];
  if (!retrier || (open.retriesUsed[index] ?? 0) >= retrier.maxAttempts) return undefined;
  return { retrier, index };
}

function handlersOf(state: State): { retry: readonly Retrier[]; catch: readonly Catcher[] } {
  return 'retry' in state ? state : { retry: [], catch: [] };
}

function scheduleRetry(
  turn: Turn,
  thread: Thread,
  { retrier, index }: UsableRetrier,
  failure: Failure,
  prev: number,
): void {
  const used = openOf(thread).retriesUsed[index] ?? 0;
  const dueAt = turn.now + Math.round(retryDelaySeconds(retrier, used, () => turn.random()) * 1000);
  turn.emit(thread, { type: 'RetryScheduled', retrier: index, dueAt, ...failure }, { prev });
  turn.wake(thread);
}

function catchFailure(
  turn: Turn,
  thread: Thread,
  open: OpenState,
  failure: Failure,
  prev: number,
): Awaitable<void> {
  const catchers = handlersOf(open.state).catch;
  const catcher = catchers[findTaker(catchers, failure.error, failure.alias)];
  if (!catcher) return failThread(turn, thread, failure, prev);
  return evaluate(
    turn,
    thread,
    () =>
      finishCatch(catcher, open.state.queryLanguage, scopeOf(turn.view, thread), {
        Error: failure.error ?? '',
        Cause: failure.cause ?? '',
      }),
    (finished) => exitState(turn, thread, { ...finished, next: catcher.next }),
  );
}

/** Nothing caught it: the thread ends, and the state it belongs to, or the execution, fails. */
function failThread(turn: Turn, thread: Thread, failure: Failure, prev: number): void {
  const { parent } = thread;
  if (!parent) {
    turn.emit(thread, { type: 'ExecutionFailed', ...failure }, { prev });
    return;
  }
  abortSiblings(turn, thread, parent, prev);
  turn.fail(parent, failure, prev);
}

/** The order of events is the one recorded from AWS: the failed iteration, the others, its own state. */
function abortSiblings(turn: Turn, failed: Thread, parent: Thread, prev: number): void {
  const { state, phase } = openOf(parent);
  if (phase.kind !== 'children') throw new Error(`'${state.name}' has no branches to abort`);
  const { kind, threads } = phase.children;
  const iteration = (
    type: 'MapIterationFailed' | 'MapIterationAborted',
    { index }: Thread,
  ): void => {
    if (kind === 'iterations') turn.emit(parent, { type, index, name: state.name }, { prev });
  };
  iteration('MapIterationFailed', failed);
  for (const other of threads) {
    if (other === failed || other.at.kind === 'ended') continue;
    abortThread(turn, other, prev);
    iteration('MapIterationAborted', other);
  }
  if (failed.at.kind === 'inside' && failed.at.open.state.type === 'Task')
    abortThread(turn, failed, prev);
}
