import type { Command, CommandResult, TaskOutcome } from './command.ts';
import { isDue } from './deadlines.ts';
import { giveUp } from './give-up.ts';
import { parseText, toText } from './json-text.ts';
import { failAttempt, submitAttempt, succeedAttempt } from './task-attempt.ts';
import type { Turn } from './turn.ts';
import { findThread, type Attempt, type Thread } from './view.ts';

/** Takes one command into the turn. What follows from it is decided by `run` (run-turn.ts). */
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
    case 'map-run-ended':
      return endMapRun(turn, command);
    case 'heartbeat':
      return withAttempt(turn, command, (thread) => {
        turn.emit(thread, { type: 'Heartbeat' });
        return 'done';
      });
  }
}

/** The order and the previous events are as recorded from AWS. */
function endMapRun(
  turn: Turn,
  { threadId, mapRunArn, outcome }: Extract<Command, { kind: 'map-run-ended' }>,
): CommandResult {
  const thread = findThread(turn.view, threadId);
  if (thread?.at.kind !== 'inside') return 'refused';
  const { phase } = thread.at.open;
  if (phase.kind !== 'map-run' || phase.run.arn !== mapRunArn) return 'refused';
  if (outcome.kind === 'failed') {
    turn.emit(thread, { type: 'MapRunFailed', mapRunArn, ...outcome.failure });
    return 'done';
  }
  const { output } = outcome;
  const prev = turn.emit(
    thread,
    { type: 'MapRunSucceeded', mapRunArn, output: toText(output) },
    { payload: output },
  );
  turn.emit(thread, { type: 'MapStateSucceeded' }, { prev });
  return 'done';
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
