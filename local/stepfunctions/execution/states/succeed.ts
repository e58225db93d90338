import type { SucceedState } from '../../definition/ast.ts';
import { finishWithoutResult } from '../../language/finish-state.ts';
import type { Awaitable } from '../../language/json.ts';
import { evaluate } from '../evaluate.ts';
import { exitState } from '../exit-state.ts';
import { scopeOf } from '../scope-of.ts';
import type { Turn } from '../turn.ts';
import type { Thread } from '../view.ts';

export function executeSucceed(turn: Turn, thread: Thread, state: SucceedState): Awaitable<void> {
  return evaluate(
    turn,
    thread,
    () => finishWithoutResult(state, scopeOf(turn.view, thread)),
    (finished) => exitState(turn, thread, finished),
  );
}
