import type { ParallelState } from '../../definition/ast.ts';
import type { Awaitable } from '../../language/json.ts';
import { evaluateArguments } from '../../language/state-arguments.ts';
import { evaluate } from '../evaluate.ts';
import { toText } from '../json-text.ts';
import { scopeOf } from '../scope-of.ts';
import type { Turn } from '../turn.ts';
import { openOf, type Thread } from '../view.ts';

export function executeParallel(turn: Turn, thread: Thread, state: ParallelState): Awaitable<void> {
  return evaluate(
    turn,
    thread,
    () => evaluateArguments(state, scopeOf(turn.view, thread)),
    (input) => {
      turn.emit(thread, { type: 'ParallelStateStarted', input: toText(input) }, { payload: input });
      const { phase } = openOf(thread);
      if (phase.kind === 'children') for (const branch of phase.children.threads) turn.wake(branch);
    },
  );
}
