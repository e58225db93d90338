import type { MapState } from '../definition/ast.ts';
import { leaves, openOf, type ExecutionView, type MapRun, type Thread } from './view.ts';

/** A Map Run that must be under way for its execution to go on. */
export type LiveMapRun = {
  readonly thread: Thread;
  readonly state: MapState;
  readonly run: MapRun;
};

/** The Map Runs an execution waits for, as its log has it (see live-attempts.ts). */
export function liveMapRuns(view: ExecutionView): LiveMapRun[] {
  if (view.status !== 'RUNNING') return [];
  const live: LiveMapRun[] = [];
  for (const thread of leaves(view.root)) {
    if (thread.at.kind !== 'inside') continue;
    const { phase, state } = openOf(thread);
    if (phase.kind === 'map-run' && !phase.isRedriving && state.type === 'Map') {
      live.push({ thread, state, run: phase.run });
    }
  }
  return live;
}
