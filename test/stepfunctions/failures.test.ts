import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '../support/wait-for.ts';
import {
  fail,
  functionOf,
  startFixture,
  succeed,
  task,
  types,
  type Fixture,
} from './engine-fixture.ts';

const only = (fields: object): object => ({
  StartAt: 'Only',
  States: {
    Only: task('f', fields),
    ...('Catch' in fields && { Caught: { Type: 'Pass', End: true } }),
  },
});

/** Moves the clock second by second until the execution has ended; returns how many it took. */
async function secondsUntilEnd(
  fixture: Fixture,
  executionArn: string,
  most: number,
): Promise<number> {
  for (let second = 0; second <= most; second++) {
    await delay(3);
    if ((await fixture.describe(executionArn)).status !== 'RUNNING') return second;
    fixture.clock.advance(1000);
  }
  throw new Error(`still running after ${most} seconds`);
}

test('retries back off, up to MaxDelaySeconds', async () => {
  const times: number[] = [];
  const fixture = await startFixture(() => {
    times.push(fixture.clock.now());
    return fail('Down');
  });
  const executionArn = await fixture.run(
    only({
      Retry: [
        {
          ErrorEquals: ['Down'],
          IntervalSeconds: 2,
          BackoffRate: 2,
          MaxAttempts: 4,
          MaxDelaySeconds: 5,
        },
      ],
    }),
  );
  await secondsUntilEnd(fixture, executionArn, 30);
  const gaps = times.slice(1).map((time, index) => (time - (times[index] ?? 0)) / 1000);
  assert.deepEqual(gaps, [2, 4, 5, 5]);
  fixture.stop();
});

test('each retrier counts for itself, and Catch comes after the retries', async () => {
  const errors = ['A', 'B', 'A', 'B'];
  let calls = 0;
  const fixture = await startFixture(() => fail(errors[calls++ % 4] ?? ''));
  const executionArn = await fixture.run(
    only({
      Retry: [
        { ErrorEquals: ['A'], IntervalSeconds: 1, MaxAttempts: 1 },
        { ErrorEquals: ['B'], IntervalSeconds: 1, MaxAttempts: 1 },
      ],
      Catch: [{ ErrorEquals: ['A'], Next: 'Caught' }],
    }),
  );
  await secondsUntilEnd(fixture, executionArn, 10);
  assert.equal(calls, 3);
  assert.equal((await fixture.describe(executionArn)).status, 'SUCCEEDED');
  fixture.stop();
});

test('a jittered delay is at most the full one', async () => {
  const fixture = await startFixture(() => fail('Down'));
  const retry = {
    ErrorEquals: ['Down'],
    IntervalSeconds: 8,
    MaxAttempts: 1,
    JitterStrategy: 'FULL',
  };
  const stateMachineArn = await fixture.create(only({ Retry: [retry] }));
  const arns = await Promise.all(Array.from({ length: 20 }, () => fixture.start(stateMachineArn)));
  await delay(20);
  fixture.clock.advance(8000);
  const gaps = await Promise.all(
    arns.map(async (executionArn) => {
      await fixture.ended(executionArn);
      const scheduled = (await fixture.history(executionArn)).filter(
        ({ type }) => type === 'TaskScheduled',
      );
      return (scheduled[1]?.timestamp ?? 0) - (scheduled[0]?.timestamp ?? 0);
    }),
  );
  assert.ok(gaps.every((seconds) => seconds >= 0 && seconds <= 8));
  assert.ok(new Set(gaps).size > 5, 'the delays differ');
  fixture.stop();
});

test('a runtime error is neither retried nor caught', async () => {
  const fixture = await startFixture(() => succeed());
  const executionArn = await fixture.run({
    StartAt: 'Only',
    States: {
      Only: task('f', {
        TimeoutSecondsPath: '$.missing',
        Retry: [{ ErrorEquals: ['States.ALL'] }],
        Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Caught' }],
      }),
      Caught: { Type: 'Pass', End: true },
    },
  });
  const { status, error } = await fixture.ended(executionArn);
  assert.deepEqual({ status, error }, { status: 'FAILED', error: 'States.Runtime' });
  fixture.stop();
});

test('when one branch fails the others are called off', async () => {
  const aborted: string[] = [];
  let failSlow = (): void => undefined;
  const fixture = await startFixture(async (call) => {
    if (functionOf(call) === 'fails') {
      await new Promise<void>((resolve) => (failSlow = resolve));
      return fail('Mine');
    }
    call.signal.addEventListener('abort', () => aborted.push(functionOf(call)));
    return new Promise(() => undefined);
  });
  const branch = (name: string): object => ({ StartAt: name, States: { [name]: task(name) } });
  const executionArn = await fixture.run({
    StartAt: 'All',
    States: {
      All: {
        Type: 'Parallel',
        End: true,
        Branches: [branch('hangs'), branch('fails'), branch('hangs too')],
      },
    },
  });
  await waitFor(() => fixture.engine.counts().open === 1, 1000);
  await delay(10);
  failSlow();
  const { error } = await fixture.ended(executionArn);
  assert.equal(error, 'Mine');
  await waitFor(() => aborted.length === 2, 1000);
  const events = await fixture.history(executionArn);
  assert.deepEqual(types(events).slice(-6), [
    'TaskFailed',
    'TaskStateAborted',
    'TaskStateAborted',
    'TaskStateAborted',
    'ParallelStateFailed',
    'ExecutionFailed',
  ]);
  fixture.stop();
});

test('a history has 25,000 events at most, the last of which ends the execution', async () => {
  const fixture = await startFixture(() => succeed());
  const executionArn = await fixture.run({
    StartAt: 'Again',
    States: {
      Again: { Type: 'Pass', Next: 'Whether' },
      Whether: {
        Type: 'Choice',
        Choices: [{ Variable: '$.stop', IsPresent: true, Next: 'Done' }],
        Default: 'Again',
      },
      Done: { Type: 'Succeed' },
    },
  });
  await fixture.ended(executionArn);
  const { events } = await fixture.call<{ events: { id: number; type: string }[] }>(
    'GetExecutionHistory',
    { executionArn, reverseOrder: true, maxResults: 1 },
  );
  assert.deepEqual(
    events.map(({ id, type }) => [id, type]),
    [[25_000, 'ExecutionFailed']],
  );
  fixture.stop();
});

test('256 KiB of input or output are taken, one byte more is not', async () => {
  const fixture = await startFixture((call) =>
    succeed('x'.repeat(functionOf(call) === 'fits' ? 262_142 : 262_143)),
  );
  const machine = (name: string): object => ({
    StartAt: 'Only',
    States: { Only: { ...task(name), Parameters: { FunctionName: name } } },
  });
  assert.equal((await fixture.ended(await fixture.run(machine('fits')))).status, 'SUCCEEDED');
  const { error, cause } = await fixture.ended(await fixture.run(machine('too large')));
  assert.equal(error, 'States.DataLimitExceeded');
  assert.equal(
    cause,
    "The state/task 'lambda' returned a result with a size exceeding the maximum number of bytes service limit.",
  );
  fixture.stop();
});
