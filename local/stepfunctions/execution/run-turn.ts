import type { Awaitable } from '../language/json.ts';
import { executionDeadline, isDue } from './deadlines.ts';
import { endThread } from './end-thread.ts';
import { giveUp } from './give-up.ts';
import { handleFailure } from './handle-failure.ts';
import { allEnded, freeSlots } from './start-children.ts';
import { step } from './step.ts';
import type { Task, Turn } from './turn.ts';
import type { Thread } from './view.ts';

/** A turn with more records than this is committed, and goes on in a next one. */
const MAX_RECORDS_PER_TURN = 500;

/** Lets every thread act that can, until all are waiting for something or the execution has ended. */
export function run(turn: Turn): Awaitable<void> {
  const { view } = turn;
  if (view.status !== 'RUNNING') return;
  if (executionDeadline(view) <= turn.now) {
    turn.emit(view.root, { type: 'ExecutionTimedOut' }, { prev: 0 });
    return;
  }
  wakeRunnable(turn, view.root);
  return runQueue(turn);
}

function runQueue(turn: Turn): Awaitable<void> {
  for (;;) {
    const task = turn.urgent.pop() ?? nextInQueue(turn);
    if (!task) return;
    const pending = guarded(turn, () => perform(turn, task));
    if (pending) return pending.then(() => runQueue(turn));
  }
}

function nextInQueue(turn: Turn): Task | undefined {
  while (turn.view.status === 'RUNNING' && turn.records.length < MAX_RECORDS_PER_TURN) {
    const thread = turn.queue.shift();
    if (!thread) return undefined;
    if (canAct(thread, turn.now)) return { kind: 'step', thread };
  }
  return undefined;
}

function perform(turn: Turn, task: Task): Awaitable<void> {
  switch (task.kind) {
    case 'step':
      return step(turn, task.thread);
    case 'fail':
      return handleFailure(turn, task.thread, task.failure, task.prev);
    case 'end':
      return endThread(turn, task.thread, task.output);
  }
}

/** Whether something is left to do at once: the turn was cut short. */
export function isUnfinished(turn: Turn): boolean {
  return turn.view.status === 'RUNNING' && turn.queue.some((thread) => canAct(thread, turn.now));
}

function guarded(turn: Turn, act: () => Awaitable<void>): Promise<void> | undefined {
  try {
    const pending = act();
    return pending instanceof Promise
      ? pending.catch((error: unknown) => giveUp(turn, error))
      : undefined;
  } catch (error) {
    giveUp(turn, error);
    return undefined;
  }
}

function wakeRunnable(turn: Turn, thread: Thread): void {
  if (canAct(thread, turn.now)) turn.wake(thread);
  if (thread.at.kind === 'inside' && thread.at.open.phase.kind === 'children') {
    for (const child of thread.at.open.phase.children.threads) wakeRunnable(turn, child);
  }
}

function canAct(thread: Thread, now: number): boolean {
  if (thread.at.kind === 'ended') return false;
  if (thread.at.kind === 'enter') return true;
  const { phase } = thread.at.open;
  switch (phase.kind) {
    case 'entered':
    case 'finished':
    case 'failed':
      return true;
    case 'waiting':
    case 'retrying':
      return isDue(thread, now);
    case 'attempt':
      return (
        (phase.attempt.stage === 'scheduled' && phase.attempt.family !== 'Activity') ||
        isDue(thread, now)
      );
    case 'map-run':
      return phase.isRedriving;
    case 'children':
      return freeSlots(phase.children) > 0 || allEnded(phase.children);
  }
}
