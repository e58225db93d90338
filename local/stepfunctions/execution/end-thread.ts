import type { Json } from '../language/json.ts';
import { toText } from './json-text.ts';
import { allEnded } from './start-children.ts';
import { startFreeIterations } from './start-free-iterations.ts';
import type { Turn } from './turn.ts';
import { openOf, type Children, type Thread } from './view.ts';

/** A thread has come to its end with an output: so does the execution, or one part of its parent's state. */
export function endThread(turn: Turn, thread: Thread, output: Json): void {
  const { parent } = thread;
  if (!parent) {
    turn.emit(thread, { type: 'ExecutionSucceeded', output: toText(output) }, { payload: output });
    return;
  }
  const { state, phase } = openOf(parent);
  if (phase.kind !== 'children') throw new Error(`'${state.name}' has no children`);
  const { children } = phase;
  const prev = thread.lastEventId;
  if (children.kind === 'iterations') {
    turn.emit(
      parent,
      { type: 'MapIterationSucceeded', index: thread.index, name: state.name },
      { prev },
    );
    startFreeIterations(turn, parent, children, prev);
  }
  if (!allEnded(children)) return;
  completeChildren(turn, parent, children, children.kind === 'branches' ? prev : undefined);
}

/** All branches or iterations have ended: the state's output can be made of theirs. */
export function completeChildren(
  turn: Turn,
  parent: Thread,
  children: Children,
  prev = parent.lastEventId,
): void {
  turn.emit(
    parent,
    { type: children.kind === 'branches' ? 'ParallelStateSucceeded' : 'MapStateSucceeded' },
    { prev },
  );
  turn.advance(parent);
}
