import type { Awaitable } from '../language/json.ts';
import type { Command, CommandResult } from './command.ts';
import { executionDeadline, isDue } from './deadlines.ts';
import type { TaskOutcome } from './command.ts';
import { endThread } from './end-thread.ts';
import { handleFailure } from './handle-failure.ts';
import { parseText } from './json-text.ts';
import { allEnded, freeSlots } from './start-children.ts';
import { step } from './step.ts';
import { failAttempt, submitAttempt, succeedAttempt } from './task-attempt.ts';
import { HistoryLimitError, MAX_HISTORY_EVENTS, type Task, type Turn } from './turn.ts';
import { findThread, type Attempt, type Thread } from './view.ts';

/** A turn with more records than this is committed, and goes on in a next one. */
const MAX_RECORDS_PER_TURN = 500;

/** Takes one command into the turn. What follows from it is decided by `run`. */
export function take(turn: Turn, command: Command): CommandResult {
  try {
    return takeCommand(turn, command);
  } catch (error) {
    giveUp(turn, error);
    return 'refused';
  }
}

function takeCommand(turn: Turn, command: Command): CommandResult {
  const { view } = turn;
  if (command.kind === 'start') {
    const payload = parseText(command.input);
    turn.emit(view.root, { type: 'ExecutionStarted', input: command.input }, { payload });
    return 'done';
  }
  if (command.kind === 'redrive') {
    if (view.status === 'RUNNING' || view.status === 'SUCCEEDED') return 'refused';
    const prev = view.lastEventId;
    turn.emit(
      view.root,
      { type: 'ExecutionRedriven', redriveCount: view.redriveCount + 1 },
      { prev },
    );
    return 'done';
  }
  if (view.status !== 'RUNNING') return 'refused';
  switch (command.kind) {
    case 'wake':
      return 'done';
    case 'stop': {
      const { error, cause } = command;
      turn.emit(
        view.root,
        {
          type: 'ExecutionAborted',
          ...(error !== undefined && { error }),
          ...(cause !== undefined && { cause }),
        },
        { prev: 0 },
      );
      return 'done';
    }
    case 'outcome':
      return withAttempt(turn, command, (thread, attempt) =>
        takeOutcome(turn, thread, attempt, command.outcome),
      );
    case 'activity-started':
      return withAttempt(turn, command, (thread, attempt) => {
        if (attempt.stage !== 'scheduled') return 'refused';
        const { workerName } = command;
        turn.emit(thread, {
          type: 'ActivityStarted',
          ...(workerName !== undefined && { workerName }),
        });
        return 'done';
      });
    case 'heartbeat':
      return withAttempt(turn, command, (thread) => {
        turn.emit(thread, { type: 'Heartbeat' });
        return 'done';
      });
  }
}

function withAttempt(
  turn: Turn,
  { threadId, attemptId }: { threadId: number; attemptId: number },
  then: (thread: Thread, attempt: Attempt) => CommandResult,
): CommandResult {
  const thread = findThread(turn.view, threadId);
  if (thread?.at.kind !== 'inside') return 'refused';
  const { phase } = thread.at.open;
  if (phase.kind !== 'attempt' || phase.attempt.id !== attemptId) return 'refused';
  // Too late, even if the timeout has not been written down yet.
  if (isDue(thread, turn.now)) return 'refused';
  return then(thread, phase.attempt);
}

function takeOutcome(
  turn: Turn,
  thread: Thread,
  attempt: Attempt,
  outcome: TaskOutcome,
): CommandResult {
  switch (outcome.kind) {
    case 'submitted':
      submitAttempt(turn, thread, attempt, outcome.output);
      return 'done';
    case 'succeeded':
      succeedAttempt(turn, thread, attempt, outcome.output);
      return 'done';
    case 'failed':
      failAttempt(turn, thread, attempt, outcome.failure);
      return 'done';
  }
}

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

/** The execution cannot go on: it is full, or the engine has a defect. It fails, visibly. */
function giveUp(turn: Turn, error: unknown): void {
  const cause =
    error instanceof HistoryLimitError
      ? `The execution reached the maximum number of history events (${MAX_HISTORY_EVENTS}).`
      : `Internal error of the engine: ${error instanceof Error ? error.message : String(error)}`;
  turn.urgent.length = 0;
  turn.emit(turn.view.root, { type: 'ExecutionFailed', error: 'States.Runtime', cause });
  if (!(error instanceof HistoryLimitError)) turn.report(error);
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
    case 'children':
      return freeSlots(phase.children) > 0 || allEnded(phase.children);
  }
}
