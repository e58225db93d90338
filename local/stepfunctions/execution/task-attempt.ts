import type { Json } from '../language/json.ts';
import { attemptDeadline } from './deadlines.ts';
import { dataLimitExceeded } from './data-limit.ts';
import { isTooLarge, toText } from './json-text.ts';
import type { Failure } from './record.ts';
import { patternOf } from './task-resource.ts';
import type { Turn } from './turn.ts';
import type { Attempt, Thread } from './view.ts';

/** A scheduled attempt is started (which makes the runtime invoke it); a started one has timed out. */
export function actOnAttempt(turn: Turn, thread: Thread, attempt: Attempt): void {
  if (attempt.stage === 'scheduled') return startAttempt(turn, thread, attempt);
  if (attemptDeadline(attempt) <= turn.now) timeOutAttempt(turn, thread, attempt);
}

function startAttempt(turn: Turn, thread: Thread, attempt: Attempt): void {
  if (attempt.family === 'Task') turn.emit(thread, { type: 'TaskStarted', ...targetOf(attempt) });
  else if (attempt.family === 'LambdaFunction')
    turn.emit(thread, { type: 'LambdaFunctionStarted' });
}

function timeOutAttempt(turn: Turn, thread: Thread, attempt: Attempt): void {
  const timeoutAt = attempt.startedAt + (attempt.timeoutSeconds ?? Infinity) * 1000;
  const failure: Failure = {
    error: 'States.Timeout',
    // AWS reports a missed heartbeat as States.Timeout, and documents both names for it.
    ...(timeoutAt > turn.now && { alias: 'States.HeartbeatTimeout' }),
  };
  if (attempt.family === 'Task') {
    turn.emit(thread, { type: 'TaskTimedOut', ...targetOf(attempt), ...failure });
  } else turn.emit(thread, { type: `${attempt.family}TimedOut`, ...failure });
  turn.wake(thread);
}

/** The service has taken the request; the result of a callback or `.sync` task comes later. */
export function submitAttempt(turn: Turn, thread: Thread, attempt: Attempt, output: Json): void {
  if (attempt.stage === 'submitted' || patternOf(attempt.resource) === 'requestResponse') return;
  const text = toText(output);
  if (isTooLarge(text)) return failAttempt(turn, thread, attempt, tooLarge(attempt));
  turn.emit(
    thread,
    { type: 'TaskSubmitted', ...targetOf(attempt), output: text },
    { payload: output },
  );
}

export function succeedAttempt(turn: Turn, thread: Thread, attempt: Attempt, output: Json): void {
  const text = toText(output);
  if (isTooLarge(text)) return failAttempt(turn, thread, attempt, tooLarge(attempt));
  if (attempt.family === 'Task') {
    turn.emit(
      thread,
      { type: 'TaskSucceeded', ...targetOf(attempt), output: text },
      { payload: output },
    );
  } else {
    turn.emit(thread, { type: `${attempt.family}Succeeded`, output: text }, { payload: output });
  }
}

export function failAttempt(turn: Turn, thread: Thread, attempt: Attempt, failure: Failure): void {
  if (attempt.family === 'Task') {
    turn.emit(thread, { type: 'TaskFailed', ...targetOf(attempt), ...failure });
  } else turn.emit(thread, { type: `${attempt.family}Failed`, ...failure });
}

function targetOf({ resourceType, resource }: Attempt): { resourceType: string; resource: string } {
  return { resourceType, resource };
}

/**
 * A result that is too large. AWS documents that States.ALL does not take
 * States.DataLimitExceeded; it was recorded to take this one, a task's failure.
 */
function tooLarge({ family, resource, resourceType }: Attempt): Failure {
  const failure = dataLimitExceeded(family === 'Task' ? resourceType : resource);
  return { ...failure, alias: 'States.ALL' };
}
