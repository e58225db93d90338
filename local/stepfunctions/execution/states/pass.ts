import type { PassState } from '../../definition/ast.ts';
import { finishPass } from '../../language/finish-state.ts';
import type { Awaitable } from '../../language/json.ts';
import { evaluate } from '../evaluate.ts';
import { exitState } from '../exit-state.ts';
import { scopeOf } from '../scope-of.ts';
import type { Turn } from '../turn.ts';
import type { Thread } from '../view.ts';

export function executePass(turn: Turn, thread: Thread, state: PassState): Awaitable<void> {
  return evaluate(
    turn,
    thread,
    () => finishPass(state, scopeOf(turn.view, thread)),
    (finished) => exitState(turn, thread, { ...finished, next: state.next }),
  );
}
