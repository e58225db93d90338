import type { Awaitable } from '../language/json.ts';
import { StatesError } from '../language/states-error.ts';
import type { Turn } from './turn.ts';
import { openOf, type Thread } from './view.ts';

/**
 * Evaluates something of the state a thread is in, and goes on with the value; a StatesError fails
 * the state (which may retry or catch it).
 */
export function evaluate<T>(
  turn: Turn,
  thread: Thread,
  work: () => Awaitable<T>,
  next: (value: T) => Awaitable<void>,
): Awaitable<void> {
  let value: Awaitable<T>;
  try {
    value = work();
  } catch (error) {
    return failEvaluation(turn, thread, error);
  }
  if (!(value instanceof Promise)) return next(value);
  return value.then(
    (each) => {
      turn.now = turn.clock();
      return next(each);
    },
    (error: unknown) => {
      turn.now = turn.clock();
      failEvaluation(turn, thread, error);
    },
  );
}

function failEvaluation(turn: Turn, thread: Thread, error: unknown): void {
  if (!(error instanceof StatesError)) throw error;
  const failure = { error: error.error, cause: error.cause };
  if (error.evaluation) {
    const { location, state } = error.evaluation;
    turn.emit(
      thread,
      { type: 'EvaluationFailed', ...failure, state, ...(location !== undefined && { location }) },
      { prev: previousOfEvaluation(thread) },
    );
  }
  turn.fail(thread, failure);
}

/**
 * As recorded from AWS: an evaluation that fails right after the state was entered names the event
 * before StateEntered as its previous, except in a Wait.
 */
function previousOfEvaluation(thread: Thread): number {
  const open = openOf(thread);
  const justEntered = thread.lastEventId === open.enteredEventId && open.state.type !== 'Wait';
  return justEntered ? open.previousEventId : thread.lastEventId;
}
