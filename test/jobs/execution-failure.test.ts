import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failingPlace } from '../../jobs/failing-state.ts';
import { executionFailure, needsHistory } from '../../jobs/execution-failure.ts';

const lambdaCause = (message: unknown) =>
  JSON.stringify({ errorType: 'Terminal', errorMessage: JSON.stringify(message), trace: [] });

test('a task’s own failure is shown with its code, state and message', () => {
  const cause = lambdaCause({
    code: 'PAYLOAD_CHECKSUM_MISMATCH',
    state: 'ValidatePayload',
    message: 'other bytes',
  });
  const execution = { status: 'FAILED', error: 'Terminal', cause };
  assert.deepEqual(executionFailure(execution), {
    code: 'PAYLOAD_CHECKSUM_MISMATCH',
    message: 'other bytes',
    retryable: false,
    state: 'ValidatePayload',
  });
  assert.equal(needsHistory(execution), false);
});

test('a state that timed out is named from the history and may be redriven', () => {
  const execution = { status: 'FAILED', error: 'States.Timeout', cause: null };
  assert.equal(needsHistory(execution), true);
  const failure = executionFailure(execution, 'Slow');
  assert.deepEqual(
    [failure.code, failure.retryable, failure.state],
    ['STATE_TIMED_OUT', true, 'Slow'],
  );
});

test('a stop of our own, of an execution whose job could not be opened, says that and why', () => {
  const why = 'the job’s uniqueKey is in use by job 42';
  const failure = executionFailure({ status: 'ABORTED', error: 'JOB_NOT_RUNNABLE', cause: why });
  assert.deepEqual(
    [failure.code, failure.message, failure.retryable],
    ['JOB_NOT_RUNNABLE', why, false],
  );
});

test('a stop from outside is EXECUTION_ABORTED with its reason, retryable', () => {
  const failure = executionFailure({ status: 'ABORTED', error: 'Ops', cause: 'wrong input' });
  assert.deepEqual(
    [failure.code, failure.message, failure.retryable],
    ['EXECUTION_ABORTED', 'Ops: wrong input', true],
  );
});

test('NUL and broken UTF-8 in a cause never block the status change', () => {
  const { message } = executionFailure({
    status: 'FAILED',
    error: 'Odd',
    cause: 'a\u0000b\uD800c',
  });
  assert.equal(message, 'Odd: a\u{FFFD}b\u{FFFD}c');
});

test('a cause of any size is cut to 8 KiB at a character', () => {
  const { message } = executionFailure({
    status: 'FAILED',
    error: 'Long',
    cause: '💥'.repeat(10_000),
  });
  assert.ok(Buffer.byteLength(message) <= 8 * 1024);
  assert.ok(message.isWellFormed() && message.endsWith('…'));
});

test('the failing state is found through retries and inside a branch', () => {
  const entered = (id: number, previousEventId: number, name: string) => ({
    id,
    previousEventId,
    timestamp: new Date(),
    type: 'TaskStateEntered' as const,
    stateEnteredEventDetails: { name },
  });
  const event = (id: number, previousEventId: number, type: string) => ({
    id,
    previousEventId,
    timestamp: new Date(),
    type: type as 'TaskFailed',
  });
  const events = [
    event(9, 8, 'ExecutionFailed'),
    event(8, 7, 'TaskFailed'),
    event(7, 6, 'TaskStarted'),
    event(6, 5, 'TaskScheduled'),
    event(5, 4, 'TaskFailed'),
    event(4, 3, 'TaskScheduled'),
    entered(3, 2, 'Charge'),
    entered(2, 0, 'Before'),
  ];
  assert.equal(failingPlace(events).state, 'Charge');
  assert.equal(failingPlace([event(2, 1, 'ExecutionFailed')]).state, null);
});

test('the Map Run that failed is found in the history, also after a redrive', () => {
  const event = (id: number, previousEventId: number, rest: object) => ({
    id,
    previousEventId,
    timestamp: new Date(),
    type: 'MapRunFailed' as const,
    ...rest,
  });
  const mapRunArn = 'arn:aws:states:us-east-1:000000000000:mapRun:pawl-x/Chunks:1';
  const started = event(3, 2, { type: 'MapRunStarted', mapRunStartedEventDetails: { mapRunArn } });
  const entered = event(2, 1, {
    type: 'MapStateEntered',
    stateEnteredEventDetails: { name: 'Chunks' },
  });
  const failed = [event(5, 4, { type: 'ExecutionFailed' }), event(4, 3, {}), started, entered];
  assert.deepEqual(failingPlace(failed), { state: 'Chunks', mapRunArn });
  const redriven = event(7, 6, {
    type: 'MapRunRedriven',
    mapRunRedrivenEventDetails: { mapRunArn, redriveCount: 1 },
  });
  assert.equal(failingPlace([event(8, 7, {}), redriven]).mapRunArn, mapRunArn);
});
