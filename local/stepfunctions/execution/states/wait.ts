import type { WaitState } from '../../definition/ast.ts';
import { finishWithoutResult } from '../../language/finish-state.ts';
import type { Awaitable } from '../../language/json.ts';
import { waitDeadlineMs } from '../../language/wait-deadline.ts';
import { evaluate } from '../evaluate.ts';
import { exitState } from '../exit-state.ts';
import { scopeOf } from '../scope-of.ts';
import type { Turn } from '../turn.ts';
import { openOf, type Thread } from '../view.ts';

/** The moment is evaluated once and recorded, so that a restart does not begin the wait anew. */
export function executeWait(turn: Turn, thread: Thread, state: WaitState): Awaitable<void> {
  return evaluate(
    turn,
    thread,
    () => waitDeadlineMs(state, scopeOf(turn.view, thread), openOf(thread).enteredAt),
    (until) => {
      turn.emit(thread, { type: 'WaitStarted', until });
      turn.wake(thread);
    },
  );
}

export function exitWait(turn: Turn, thread: Thread, state: WaitState): Awaitable<void> {
  return evaluate(
    turn,
    thread,
    () => finishWithoutResult(state, scopeOf(turn.view, thread)),
    (finished) => exitState(turn, thread, { ...finished, next: state.next }),
  );
}
