import assert from 'node:assert/strict';
import test from 'node:test';
import { findTaker, takesError } from '../../../local/stepfunctions/language/match-error.ts';
import { retryDelaySeconds } from '../../../local/stepfunctions/language/retry-delay.ts';
import { stateOf } from './scope-of.ts';

void test('States.ALL takes every error but States.DataLimitExceeded and States.Runtime', () => {
  assert.equal(takesError(['States.ALL'], 'Custom'), true);
  assert.equal(takesError(['States.ALL'], undefined), true);
  assert.equal(takesError(['States.ALL'], 'States.Timeout'), true);
  assert.equal(takesError(['States.ALL'], 'States.DataLimitExceeded'), false);
  assert.equal(takesError(['States.DataLimitExceeded'], 'States.DataLimitExceeded'), true);
  assert.equal(takesError(['States.ALL'], 'States.Runtime'), false);
  assert.equal(takesError(['States.Runtime'], 'States.Runtime'), false);
});

void test('States.TaskFailed takes every error of a task but a timeout', () => {
  assert.equal(takesError(['States.TaskFailed'], 'Custom'), true);
  assert.equal(takesError(['States.TaskFailed'], 'States.Timeout'), false);
});

void test('a missed heartbeat has two names', () => {
  assert.equal(
    takesError(['States.HeartbeatTimeout'], 'States.Timeout', 'States.HeartbeatTimeout'),
    true,
  );
  assert.equal(takesError(['States.Timeout'], 'States.Timeout', 'States.HeartbeatTimeout'), true);
});

function retriers(...fields: Parameters<typeof stateOf>[1][]) {
  return stateOf('Task', {
    Resource: 'arn:aws:states:::lambda:invoke',
    End: true,
    Retry: fields.map((each) => ({ ErrorEquals: ['States.ALL'], ...each })),
  }).retry;
}

void test('the first Retrier that names the error takes it', () => {
  const list = retriers({ ErrorEquals: ['A'] }, { ErrorEquals: ['B', 'C'] }, {});
  assert.equal(findTaker(list, 'C'), 1);
  assert.equal(findTaker(list, 'X'), 2);
  assert.equal(findTaker(list.slice(0, 2), 'X'), -1);
});

void test('the delay grows by BackoffRate up to MaxDelaySeconds, and is spread by jitter', () => {
  const [plain, capped, jittered] = retriers(
    {},
    { IntervalSeconds: 3, BackoffRate: 2, MaxDelaySeconds: 5 },
    { IntervalSeconds: 4, JitterStrategy: 'FULL' },
  );
  assert.ok(plain && capped && jittered);
  assert.deepEqual(
    [0, 1, 2, 3].map((attempts) => retryDelaySeconds(plain, attempts, Math.random)),
    [1, 2, 4, 8],
  );
  assert.deepEqual(
    [0, 1, 2].map((attempts) => retryDelaySeconds(capped, attempts, Math.random)),
    [3, 5, 5],
  );
  assert.equal(
    retryDelaySeconds(jittered, 1, () => 0.25),
    2,
  );
  assert.ok(Number.isFinite(retryDelaySeconds(plain, 100_000, Math.random)));
});
