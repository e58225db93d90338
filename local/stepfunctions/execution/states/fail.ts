import type { FailState } from '../../definition/ast.ts';
import { failOutput } from '../../language/fail-output.ts';
import type { Awaitable } from '../../language/json.ts';
import { evaluate } from '../evaluate.ts';
import { scopeOf } from '../scope-of.ts';
import type { Turn } from '../turn.ts';
import type { Thread } from '../view.ts';

export function executeFail(turn: Turn, thread: Thread, state: FailState): Awaitable<void> {
  return evaluate(
    turn,
    thread,
    () => failOutput(state, scopeOf(turn.view, thread)),
    (failure) => turn.fail(thread, failure),
  );
}
