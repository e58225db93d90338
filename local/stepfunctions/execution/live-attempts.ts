import { patternOf } from './task-resource.ts';
import { leaves, openOf, type Attempt, type ExecutionView, type Thread } from './view.ts';

/** Work that must be under way outside the execution for it to go on. */
export type LiveAttempt = {
  readonly thread: Thread;
  readonly attempt: Attempt;
  /** Call the service; wait for the job it started; or wait for an activity worker. */
  readonly need: 'call' | 'follow' | 'worker';
};

/**
 * What an execution needs done, as its log has it. The runtime makes it so, after every turn and
 * after a restart alike: a started attempt without an end is called again, as the same attempt.
 */
export function liveAttempts(view: ExecutionView): LiveAttempt[] {
  const live: LiveAttempt[] = [];
  if (view.status !== 'RUNNING') return live;
  for (const thread of leaves(view.root)) {
    if (thread.at.kind !== 'inside') continue;
    const { phase } = openOf(thread);
    if (phase.kind !== 'attempt') continue;
    const need = needOf(phase.attempt);
    if (need) live.push({ thread, attempt: phase.attempt, need });
  }
  return live;
}

function needOf(attempt: Attempt): LiveAttempt['need'] | undefined {
  if (attempt.family === 'Activity') return attempt.stage === 'scheduled' ? 'worker' : undefined;
  if (attempt.stage === 'started') return 'call';
  if (attempt.stage === 'submitted' && patternOf(attempt.resource) === 'sync') return 'follow';
  return undefined;
}
