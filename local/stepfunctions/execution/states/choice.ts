import type { ChoiceState } from '../../definition/ast.ts';
import { chooseNext } from '../../language/choose-next.ts';
import type { Awaitable } from '../../language/json.ts';
import { evaluate } from '../evaluate.ts';
import { exitState } from '../exit-state.ts';
import { scopeOf } from '../scope-of.ts';
import type { Turn } from '../turn.ts';
import type { Thread } from '../view.ts';

export function executeChoice(turn: Turn, thread: Thread, state: ChoiceState): Awaitable<void> {
  return evaluate(
    turn,
    thread,
    () => chooseNext(state, scopeOf(turn.view, thread)),
    (chosen) => exitState(turn, thread, chosen),
  );
}
