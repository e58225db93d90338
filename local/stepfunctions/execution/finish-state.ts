import { finishWithResult } from '../language/finish-state.ts';
import type { Awaitable, Json } from '../language/json.ts';
import { evaluate } from './evaluate.ts';
import { exitState } from './exit-state.ts';
import { scopeOf } from './scope-of.ts';
import type { Turn } from './turn.ts';
import { openOf, type Thread } from './view.ts';

/** A Task, Parallel or Map has its result: make its output and variables of it. */
export function finishState(turn: Turn, thread: Thread, result: Json): Awaitable<void> {
  const { state } = openOf(thread);
  if (state.type !== 'Task' && state.type !== 'Parallel' && state.type !== 'Map') {
    throw new Error(`a ${state.type} state has no result`);
  }
  return evaluate(
    turn,
    thread,
    () => finishWithResult(state, scopeOf(turn.view, thread), result),
    (finished) => exitState(turn, thread, { ...finished, next: state.next }),
  );
}
