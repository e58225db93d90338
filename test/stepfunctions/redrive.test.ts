import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../local/stepfunctions/language/json.ts';
import {
  fail,
  functionOf,
  startFixture,
  succeed,
  task,
  types,
  type Fixture,
} from './engine-fixture.ts';

/** Functions named `flaky…` fail until the provider recovers; every call is noted. */
async function startWithProvider(): Promise<
  Fixture & { calls: string[]; payloads: Json[]; recover(): void }
> {
  const calls: string[] = [];
  const payloads: Json[] = [];
  let isDown = true;
  const fixture = await startFixture((call, payload) => {
    const name = functionOf(call);
    calls.push(name);
    payloads.push(payload);
    if (isDown && name.startsWith('flaky')) return fail('Provider.Down', 'the provider is down');
    return succeed({ by: name });
  });
  return { ...fixture, calls, payloads, recover: () => void (isDown = false) };
}

const RETRY = [{ ErrorEquals: ['States.ALL'], IntervalSeconds: 1, MaxAttempts: 2, BackoffRate: 1 }];

/** Lets retries pass, one second each. */
async function passRetries(fixture: Fixture, executionArn: string): Promise<void> {
  for (let second = 0; second < 20; second++) {
    if ((await fixture.describe(executionArn)).status !== 'RUNNING') return;
    fixture.clock.advance(1000);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

test('a redrive runs the failed Task and what follows, nothing before it', async () => {
  const fixture = await startWithProvider();
  const executionArn = await fixture.run({
    StartAt: 'First',
    States: {
      First: task('first', { Next: 'Second', ResultPath: '$.first' }),
      Second: task('flaky', { Next: 'Third', ResultPath: '$.second', Retry: RETRY }),
      Third: task('third'),
    },
  });
  await passRetries(fixture, executionArn);
  assert.equal((await fixture.describe(executionArn)).status, 'FAILED');
  assert.deepEqual(fixture.calls, ['first', 'flaky', 'flaky', 'flaky']);
  const before = await fixture.history(executionArn);

  fixture.recover();
  const { redriveDate } = await fixture.call<{ redriveDate: number }>('RedriveExecution', {
    executionArn,
  });
  const described = await fixture.ended(executionArn);
  assert.equal(described.status, 'SUCCEEDED');
  assert.equal(described.redriveCount, 1);
  assert.equal(described.redriveDate, redriveDate);
  assert.deepEqual(fixture.calls.slice(4), ['flaky', 'third']);

  const after = await fixture.history(executionArn);
  assert.deepEqual(after.slice(0, before.length), before, 'history is appended, never replaced');
  assert.deepEqual(types(after.slice(before.length)), [
    'ExecutionRedriven',
    'TaskScheduled',
    'TaskStarted',
    'TaskSucceeded',
    'TaskStateExited',
    'TaskStateEntered',
    'TaskScheduled',
    'TaskStarted',
    'TaskSucceeded',
    'TaskStateExited',
    'ExecutionSucceeded',
  ]);
  assert.deepEqual(
    after.map(({ id }) => id),
    after.map((_event, index) => index + 1),
  );
  const redriven = after[before.length];
  assert.deepEqual(redriven?.['executionRedrivenEventDetails'], { redriveCount: 1 });
  assert.equal(after[before.length + 1]?.previousEventId, redriven?.id);
  fixture.stop();
});

test('the Task arguments are evaluated anew, with the new redrive count', async () => {
  const fixture = await startWithProvider();
  const executionArn = await fixture.run(
    { StartAt: 'Only', States: { Only: task('flaky') } },
    { a: 1 },
  );
  await fixture.ended(executionArn);
  for (const expected of [1, 2]) {
    if (expected === 2) fixture.recover();
    await fixture.call('RedriveExecution', { executionArn });
    const { redriveCount } = await fixture.ended(executionArn);
    assert.equal(redriveCount, expected);
  }
  assert.deepEqual(fixture.payloads, [
    { input: { a: 1 }, redriveCount: 0 },
    { input: { a: 1 }, redriveCount: 1 },
    { input: { a: 1 }, redriveCount: 2 },
  ]);
  fixture.stop();
});

test('retries are counted from zero after a redrive', async () => {
  const fixture = await startWithProvider();
  const executionArn = await fixture.run({
    StartAt: 'Only',
    States: { Only: task('flaky', { Retry: RETRY }) },
  });
  await passRetries(fixture, executionArn);
  assert.equal(fixture.calls.length, 3);
  await fixture.call('RedriveExecution', { executionArn });
  await passRetries(fixture, executionArn);
  assert.equal((await fixture.describe(executionArn)).status, 'FAILED');
  assert.equal(fixture.calls.length, 6);
  fixture.stop();
});

test('in a Parallel only the failed branch is run again', async () => {
  const fixture = await startWithProvider();
  const executionArn = await fixture.run({
    StartAt: 'Both',
    States: {
      Both: {
        Type: 'Parallel',
        End: true,
        Branches: [
          { StartAt: 'Good', States: { Good: task('good') } },
          {
            StartAt: 'Before',
            States: { Before: task('before', { Next: 'Bad' }), Bad: task('flaky') },
          },
        ],
      },
    },
  });
  assert.equal((await fixture.ended(executionArn)).status, 'FAILED');
  assert.deepEqual(fixture.calls.toSorted(), ['before', 'flaky', 'good']);
  fixture.recover();
  await fixture.call('RedriveExecution', { executionArn });
  const { status, output } = await fixture.ended(executionArn);
  assert.equal(status, 'SUCCEEDED');
  assert.deepEqual(JSON.parse(output ?? ''), [{ by: 'good' }, { by: 'flaky' }]);
  assert.deepEqual(fixture.calls.slice(3), ['flaky']);
  fixture.stop();
});

test('in an inline Map failed, aborted and unstarted items are run, finished ones are not', async () => {
  const fixture = await startWithProvider();
  const executionArn = await fixture.run(
    {
      StartAt: 'Each',
      States: {
        Each: {
          Type: 'Map',
          End: true,
          MaxConcurrency: 2,
          ItemProcessor: {
            StartAt: 'Pick',
            States: {
              Pick: {
                Type: 'Choice',
                Choices: [{ Variable: '$', NumericEquals: 2, Next: 'Bad' }],
                Default: 'Good',
              },
              Good: task('good'),
              Bad: task('flaky'),
            },
          },
        },
      },
    },
    [0, 1, 2, 3, 4],
  );
  assert.equal((await fixture.ended(executionArn)).status, 'FAILED');
  const goodBefore = fixture.calls.filter((name) => name === 'good').length;
  const finished = types(await fixture.history(executionArn)).filter(
    (type) => type === 'MapIterationSucceeded',
  ).length;
  fixture.recover();
  await fixture.call('RedriveExecution', { executionArn });
  const { status, output } = await fixture.ended(executionArn);
  assert.equal(status, 'SUCCEEDED');
  assert.deepEqual(
    JSON.parse(output ?? '').map(({ by }: { by: string }) => by),
    ['good', 'good', 'flaky', 'good', 'good'],
  );
  const goodAfter = fixture.calls.filter((name) => name === 'good').length;
  assert.equal(goodAfter - goodBefore, 4 - finished, 'an item that had succeeded ran again');
  fixture.stop();
});

test('after States.DataLimitExceeded all branches of a Parallel are run again', async () => {
  let size = 140_000;
  const calls: string[] = [];
  const fixture = await startFixture((call) => {
    calls.push(functionOf(call));
    return succeed('x'.repeat(size));
  });
  const branch = (name: string): object => ({ StartAt: name, States: { [name]: task(name) } });
  const executionArn = await fixture.run({
    StartAt: 'Both',
    States: { Both: { Type: 'Parallel', End: true, Branches: [branch('a'), branch('b')] } },
  });
  const failed = await fixture.ended(executionArn);
  assert.equal(failed.error, 'States.DataLimitExceeded');
  size = 10;
  await fixture.call('RedriveExecution', { executionArn });
  assert.equal((await fixture.ended(executionArn)).status, 'SUCCEEDED');
  assert.deepEqual(calls.toSorted(), ['a', 'a', 'b', 'b']);
  fixture.stop();
});

test('a Fail state fails again, and is not entered a second time', async () => {
  const fixture = await startWithProvider();
  const executionArn = await fixture.run({
    StartAt: 'Stop',
    States: { Stop: { Type: 'Fail', Error: 'Mine', Cause: 'why' } },
  });
  await fixture.call('RedriveExecution', { executionArn });
  const { status, error, redriveCount } = await fixture.ended(executionArn);
  assert.deepEqual(
    { status, error, redriveCount },
    { status: 'FAILED', error: 'Mine', redriveCount: 1 },
  );
  assert.deepEqual(types(await fixture.history(executionArn)), [
    'ExecutionStarted',
    'FailStateEntered',
    'ExecutionFailed',
    'ExecutionRedriven',
    'ExecutionFailed',
  ]);
  fixture.stop();
});

test('an aborted execution is redriven: its Wait keeps the moment it waits for', async () => {
  const fixture = await startWithProvider();
  const executionArn = await fixture.run({
    StartAt: 'Pause',
    States: { Pause: { Type: 'Wait', Seconds: 60, Next: 'Then' }, Then: task('then') },
  });
  fixture.clock.advance(20_000);
  await fixture.call('StopExecution', { executionArn, error: 'Stopped', cause: 'by hand' });
  const stopped = await fixture.describe(executionArn);
  assert.equal(stopped.status, 'ABORTED');
  assert.equal(stopped.redriveStatus, 'REDRIVABLE');
  fixture.clock.advance(10_000);
  await fixture.call('RedriveExecution', { executionArn });
  fixture.clock.advance(29_999);
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal((await fixture.describe(executionArn)).status, 'RUNNING');
  fixture.clock.advance(1);
  assert.equal((await fixture.ended(executionArn)).status, 'SUCCEEDED');
  fixture.stop();
});

test('the machine timeout starts anew with a redrive', async () => {
  const fixture = await startWithProvider();
  const executionArn = await fixture.run({
    TimeoutSeconds: 30,
    StartAt: 'Pause',
    States: { Pause: { Type: 'Wait', Seconds: 50, End: true } },
  });
  fixture.clock.advance(30_000);
  assert.equal((await fixture.ended(executionArn)).status, 'TIMED_OUT');
  await fixture.call('RedriveExecution', { executionArn });
  fixture.clock.advance(20_000);
  assert.equal((await fixture.ended(executionArn)).status, 'SUCCEEDED');
  fixture.stop();
});

test('variables and the results of finished states survive a redrive', async () => {
  const fixture = await startWithProvider();
  const executionArn = await fixture.run({
    QueryLanguage: 'JSONata',
    StartAt: 'Remember',
    States: {
      Remember: { Type: 'Pass', Assign: { kept: '{% 40 + 2 %}' }, Next: 'Bad' },
      Bad: {
        Type: 'Task',
        Resource: 'arn:aws:states:::lambda:invoke',
        Arguments: { FunctionName: 'flaky', Payload: { kept: '{% $kept %}' } },
        Output: { kept: '{% $kept %}' },
        End: true,
      },
    },
  });
  await fixture.ended(executionArn);
  fixture.recover();
  await fixture.call('RedriveExecution', { executionArn });
  const { output } = await fixture.ended(executionArn);
  assert.deepEqual(JSON.parse(output ?? ''), { kept: 42 });
  assert.deepEqual(fixture.payloads, [{ kept: 42 }, { kept: 42 }]);
  fixture.stop();
});

test('a redrive after a restart of the engine goes on from the log alone', async () => {
  const first = await startWithProvider();
  const executionArn = await first.run({
    StartAt: 'First',
    States: { First: task('first', { Next: 'Bad' }), Bad: task('flaky') },
  });
  await first.ended(executionArn);
  first.stop();
  const calls: string[] = [];
  const second = await startFixture(
    (call) => {
      calls.push(functionOf(call));
      return succeed();
    },
    { dataDir: first.dataDir },
  );
  await second.call('RedriveExecution', { executionArn });
  assert.equal((await second.ended(executionArn)).status, 'SUCCEEDED');
  assert.deepEqual(calls, ['flaky']);
  second.stop();
});
