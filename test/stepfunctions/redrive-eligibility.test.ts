import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { fail, startFixture, succeed, task, types } from './engine-fixture.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const FAILING = { StartAt: 'Only', States: { Only: task('f') } };

test('an execution may be redriven for 14 days after it has ended', async () => {
  const fixture = await startFixture(() => fail('Down'));
  const executionArn = await fixture.run(FAILING);
  await fixture.ended(executionArn);
  fixture.clock.advance(14 * DAY_MS);
  const last = await fixture.describe(executionArn);
  assert.equal(last.redriveStatus, 'REDRIVABLE');
  assert.ok(!('redriveStatusReason' in last) && !('redriveDate' in last));
  fixture.clock.advance(1);
  const over = await fixture.describe(executionArn);
  assert.equal(over.redriveStatus, 'NOT_REDRIVABLE');
  assert.equal(over.redriveStatusReason, 'Execution redrivable period exceeded');
  await assert.rejects(fixture.call('RedriveExecution', { executionArn }), {
    code: 'ExecutionNotRedrivable',
    message: 'Execution redrivable period exceeded',
  });
  fixture.stop();
});

test('a running or succeeded execution is not redrivable, and says so in AWS words', async () => {
  let finish = (): void => undefined;
  const fixture = await startFixture(async () => {
    await new Promise<void>((resolve) => (finish = resolve));
    return succeed();
  });
  const executionArn = await fixture.run(FAILING);
  const running = await fixture.describe(executionArn);
  assert.equal(running.redriveStatusReason, 'Execution is RUNNING and cannot be redriven');
  await assert.rejects(fixture.call('RedriveExecution', { executionArn }), {
    code: 'ExecutionNotRedrivable',
  });
  finish();
  const done = await fixture.ended(executionArn);
  assert.equal(done.redriveStatusReason, 'Execution is SUCCEEDED and cannot be redriven');
  assert.equal(done.redriveStatus, 'NOT_REDRIVABLE');
  fixture.stop();
});

test('an execution whose history is full is not redrivable', async () => {
  const fixture = await startFixture(() => succeed());
  const executionArn = await fixture.run({
    StartAt: 'Again',
    States: {
      Again: { Type: 'Pass', Next: 'Whether' },
      Whether: {
        Type: 'Choice',
        Choices: [{ Variable: '$.stop', IsPresent: true, Next: 'End' }],
        Default: 'Again',
      },
      End: { Type: 'Succeed' },
    },
  });
  const { status, error, cause, redriveStatusReason } = await fixture.ended(executionArn);
  assert.deepEqual(
    { status, error, cause, redriveStatusReason },
    {
      status: 'FAILED',
      error: 'States.Runtime',
      cause: 'The execution reached the maximum number of history events (25000).',
      redriveStatusReason: 'Execution history event limit exceeded',
    },
  );
  fixture.stop();
});

test('a client token that redrove an execution is answered again, for 15 minutes', async () => {
  const fixture = await startFixture(() => fail('Down'));
  const executionArn = await fixture.run(FAILING);
  await fixture.ended(executionArn);
  const request = { executionArn, clientToken: 'job-1' };
  const first = await fixture.call<{ redriveDate: number }>('RedriveExecution', request);
  await fixture.ended(executionArn);
  fixture.clock.advance(60_000);
  assert.deepEqual(await fixture.call('RedriveExecution', request), first);
  assert.equal((await fixture.describe(executionArn)).redriveCount, 1);
  fixture.clock.advance(15 * 60_000);
  const later = await fixture.call<{ redriveDate: number }>('RedriveExecution', request);
  assert.ok(later.redriveDate > first.redriveDate);
  assert.equal((await fixture.ended(executionArn)).redriveCount, 2);
  fixture.stop();
});

test('of two redrives at the same moment one happens', async () => {
  let isFailing = true;
  const fixture = await startFixture(async () => {
    if (isFailing) return fail('Down');
    await setImmediate();
    return succeed();
  });
  const executionArn = await fixture.run(FAILING);
  await fixture.ended(executionArn);
  isFailing = false;
  const settled = await Promise.allSettled([
    fixture.call('RedriveExecution', { executionArn }),
    fixture.call('RedriveExecution', { executionArn }),
  ]);
  assert.deepEqual(settled.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
  await fixture.ended(executionArn);
  const redriven = types(await fixture.history(executionArn)).filter(
    (type) => type === 'ExecutionRedriven',
  );
  assert.equal(redriven.length, 1);
  fixture.stop();
});

test('ListExecutions tells redriven executions from others', async () => {
  const fixture = await startFixture(() => fail('Down'));
  const stateMachineArn = await fixture.create(FAILING);
  const once = await fixture.start(stateMachineArn, {}, 'once');
  const twice = await fixture.start(stateMachineArn, {}, 'twice');
  await fixture.ended(once);
  await fixture.ended(twice);
  fixture.clock.advance(1000);
  await fixture.call('RedriveExecution', { executionArn: once });
  await fixture.ended(once);
  const list = async (extra: object): Promise<string[]> => {
    const { executions } = await fixture.call<{ executions: { name: string }[] }>(
      'ListExecutions',
      {
        stateMachineArn,
        ...extra,
      },
    );
    return executions.map(({ name }) => name);
  };
  assert.deepEqual(await list({ redriveFilter: 'REDRIVEN' }), ['once']);
  assert.deepEqual(await list({ redriveFilter: 'NOT_REDRIVEN' }), ['twice']);
  assert.deepEqual(await list({ statusFilter: 'FAILED' }), ['once', 'twice']);
  fixture.stop();
});
