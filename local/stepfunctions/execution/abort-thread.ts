import type { Turn } from './turn.ts';
import type { Thread } from './view.ts';

/** Writes that the states a thread is in are aborted, the innermost first. */
export function abortThread(turn: Turn, thread: Thread, prev: number): void {
  if (thread.at.kind !== 'inside') return;
  const { state, phase } = thread.at.open;
  if (phase.kind === 'children') abortChildren(turn, thread, prev);
  if (phase.kind === 'map-run') turn.emit(thread, { type: 'MapRunAborted' }, { prev });
  switch (state.type) {
    case 'Task':
    case 'Wait':
    case 'Parallel':
    case 'Map':
      turn.emit(thread, { type: `${state.type}StateAborted` }, { prev });
      return;
    default:
      // The other states have no such event: they are over in the turn that enters them.
      return;
  }
}

function abortChildren(turn: Turn, parent: Thread, prev: number): void {
  if (parent.at.kind !== 'inside' || parent.at.open.phase.kind !== 'children') return;
  const { state, phase } = parent.at.open;
  for (const child of phase.children.threads) {
    if (child.at.kind === 'ended') continue;
    abortThread(turn, child, prev);
    if (phase.children.kind === 'iterations') {
      turn.emit(
        parent,
        { type: 'MapIterationAborted', index: child.index, name: state.name },
        { prev },
      );
    }
  }
}
