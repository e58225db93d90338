import { freeSlots } from './start-children.ts';
import type { Turn } from './turn.ts';
import { openOf, type Children, type Thread } from './view.ts';

/** Starts as many iterations as MaxConcurrency allows, in the order of the items. */
export function startFreeIterations(
  turn: Turn,
  parent: Thread,
  children: Children,
  prev: number,
): void {
  const { name } = openOf(parent).state;
  for (let free = freeSlots(children); free > 0; free--) {
    const index = children.threads.length;
    turn.emit(parent, { type: 'MapIterationStarted', index, name }, { prev });
    const started = children.threads[index];
    if (started) turn.wake(started);
  }
}
