import { type FailureCode, failureCodes, isFailureCode } from './failure-codes.ts';
import { type Failure, storableText } from './failure.ts';
import { jsonObject } from './json-object.ts';

/** How an execution ended badly, from its status-change event or from DescribeExecution. */
export type FailedExecution = {
  readonly status: string;
  readonly error?: string | null | undefined;
  readonly cause?: string | null | undefined;
};

/** What Step Functions and Lambda themselves call a failure, and our code for it. */
const serviceErrors: readonly (readonly [prefix: string, code: FailureCode])[] = [
  ['States.Timeout', 'STATE_TIMED_OUT'],
  ['States.HeartbeatTimeout', 'STATE_TIMED_OUT'],
  ['States.ExceedToleratedFailureThreshold', 'MAP_RUN_FAILED'],
  ['Sandbox.Timedout', 'TASK_CRASHED'],
  ['Lambda.', 'TASK_CRASHED'],
  ['Sandbox.', 'TASK_CRASHED'],
  ['Runtime.', 'TASK_CRASHED'],
];

/**
 * The job's failure. A task's error has `{code, state, message}` in its cause, so the failing state is known;
 * errors of Step Functions and Lambda have not (`needsHistory`): then `state` is what the history said, or null.
 */
export function executionFailure(execution: FailedExecution, state: string | null = null): Failure {
  if (execution.status === 'ABORTED') {
    // Stopped by ourselves, because its job could not be opened: the cause says why.
    return execution.error === 'JOB_NOT_RUNNABLE'
      ? failure('JOB_NOT_RUNNABLE', execution.cause ?? stopReason(execution), null)
      : failure('EXECUTION_ABORTED', stopReason(execution), null);
  }
  if (execution.status === 'TIMED_OUT') {
    return failure(
      'EXECUTION_TIMED_OUT',
      'the execution passed its state machine’s TimeoutSeconds',
      state,
    );
  }
  const ours = taskFailure(execution.cause ?? '');
  if (ours !== undefined) return ours;
  const error = execution.error ?? '';
  const code =
    serviceErrors.find(([prefix]) => error.startsWith(prefix))?.[1] ?? 'EXECUTION_FAILED';
  return failure(
    code,
    [error, execution.cause].filter(Boolean).join(': ') || 'no error was given',
    state,
  );
}

/** Whether only the execution's history can say which state failed. */
export const needsHistory = (execution: FailedExecution): boolean =>
  execution.status === 'TIMED_OUT' ||
  (execution.status === 'FAILED' && taskFailure(execution.cause ?? '') === undefined);

const failure = (code: FailureCode, message: string, state: string | null): Failure => ({
  code,
  message: storableText(message),
  retryable: failureCodes[code].retryable,
  state,
});

const stopReason = ({ error, cause }: FailedExecution): string =>
  [error, cause].filter(Boolean).join(': ') || 'the execution was stopped from outside';

/** Reads `{errorType, errorMessage: '{"code", "state", "message"}'}`, the cause of a failed Lambda task. */
function taskFailure(cause: string): Failure | undefined {
  const outer = jsonObject(cause);
  const inner =
    typeof outer?.['errorMessage'] === 'string' ? jsonObject(outer['errorMessage']) : outer;
  const code = inner?.['code'];
  if (typeof code !== 'string' || !isFailureCode(code)) return undefined;
  const message =
    typeof inner?.['message'] === 'string' ? inner['message'] : failureCodes[code].means;
  const state = typeof inner?.['state'] === 'string' ? inner['state'] : null;
  return failure(code, message, state);
}
