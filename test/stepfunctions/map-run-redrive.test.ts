import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../local/stepfunctions/language/json.ts';
import { waitFor } from '../support/wait-for.ts';
import { fail, startFixture, succeed, task, types } from './engine-fixture.ts';
import { distributedMap, mapRunOf, runningChildren } from './map-run-fixture.ts';

const inputOf = (payload: Json): number => (payload as { input: number }).input;

test('redriving the parent redrives the unsuccessful children of its Map Run and no others', async () => {
  const calls: string[] = [];
  let isBroken = true;
  const fixture = await startFixture((call, payload) => {
    calls.push(`${call.stateName} ${inputOf(payload)}`);
    return call.stateName === 'Second' && isBroken && inputOf(payload) === 1
      ? fail('Bad')
      : succeed({ Payload: inputOf(payload) });
  });
  const machine = distributedMap(
    {
      First: task('first', { OutputPath: '$.Payload', Next: 'Second' }),
      Second: task('second', { OutputPath: '$.Payload' }),
    },
    { MaxConcurrency: 1 },
  );
  const executionArn = await fixture.run(machine, [0, 1, 2]);
  assert.equal((await fixture.ended(executionArn)).status, 'FAILED');
  const before = await mapRunOf(fixture, executionArn);
  assert.equal(before.described.executionCounts['pending'], 1);

  isBroken = false;
  calls.length = 0;
  await fixture.call('RedriveExecution', { executionArn });
  const { status, output } = await fixture.ended(executionArn);
  assert.equal(status, 'SUCCEEDED');
  assert.deepEqual(JSON.parse(output ?? ''), [0, 1, 2]);
  // Child 1 from its failed state, child 2 for the first time, child 0 not at all.
  assert.deepEqual(calls, ['Second 1', 'First 2', 'Second 2']);

  const { run, described, children } = await mapRunOf(fixture, executionArn);
  assert.equal(run.mapRunArn, before.run.mapRunArn, 'it is the same Map Run');
  assert.equal(described.status, 'SUCCEEDED');
  assert.equal(described.redriveCount, 1);
  assert.deepEqual(
    children.map(({ redriveCount }) => redriveCount).toSorted((a, b) => a - b),
    [0, 0, 1],
  );
  const events = await fixture.history(executionArn);
  assert.deepEqual(types(events).slice(-6), [
    'ExecutionRedriven',
    'MapRunRedriven',
    'MapRunSucceeded',
    'MapStateSucceeded',
    'MapStateExited',
    'ExecutionSucceeded',
  ]);
  const redriven = events.find(({ type }) => type === 'MapRunRedriven');
  assert.deepEqual(redriven?.['mapRunRedrivenEventDetails'], {
    mapRunArn: run.mapRunArn,
    redriveCount: 1,
  });
  fixture.stop();
});

test('Express children begin anew under the same ARN', async () => {
  const calls: string[] = [];
  let isBroken = true;
  const fixture = await startFixture((call) => {
    calls.push(call.stateName);
    return call.stateName === 'Second' && isBroken ? fail('Bad') : succeed();
  });
  const invoke = { Parameters: { FunctionName: 'f' } };
  const machine = distributedMap(
    { First: task('f', { ...invoke, Next: 'Second' }), Second: task('f', invoke) },
    {},
    'EXPRESS',
  );
  const executionArn = await fixture.run(machine, [1]);
  assert.equal((await fixture.ended(executionArn)).status, 'FAILED');
  const before = await mapRunOf(fixture, executionArn);
  isBroken = false;
  await fixture.call('RedriveExecution', { executionArn });
  assert.equal((await fixture.ended(executionArn)).status, 'SUCCEEDED');
  assert.deepEqual(calls, ['First', 'Second', 'First', 'Second']);
  const { children } = await mapRunOf(fixture, executionArn);
  assert.deepEqual(
    children.map(({ executionArn: arn, status }) => ({ arn, status })),
    before.children.map(({ executionArn: arn }) => ({ arn, status: 'SUCCEEDED' })),
  );
  fixture.stop();
});

test('a child can be redriven by its Map Run only, and waits as PENDING_REDRIVE for its turn', async () => {
  let isBroken = true;
  const held: (() => void)[] = [];
  const fixture = await startFixture(() =>
    isBroken ? fail('Bad') : new Promise((resolve) => held.push(() => resolve(succeed()))),
  );
  const tolerance = { ToleratedFailureCount: 2, MaxConcurrency: 1 };
  const machine = distributedMap({ Work: task('work') }, tolerance);
  const executionArn = await fixture.run(machine, [0, 1, 2]);
  assert.equal((await fixture.ended(executionArn)).status, 'FAILED');
  const { run, children } = await mapRunOf(fixture, executionArn);
  const [child] = children;
  const described = await fixture.describe(child?.executionArn ?? '');
  assert.equal(described.redriveStatus, 'REDRIVABLE_BY_MAP_RUN');
  await assert.rejects(fixture.call('RedriveExecution', { executionArn: child?.executionArn }), {
    code: 'ExecutionNotRedrivable',
  });

  isBroken = false;
  await fixture.call('RedriveExecution', { executionArn });
  await waitFor(() => held.length === 1, 5_000);
  const during = await mapRunOf(fixture, executionArn);
  assert.equal(during.described.executionCounts['pendingRedrive'], 2);
  assert.equal(during.described.executionCounts['running'], 1);
  const { executions } = await fixture.call<{ executions: object[] }>('ListExecutions', {
    mapRunArn: run.mapRunArn,
    statusFilter: 'PENDING_REDRIVE',
  });
  assert.equal(executions.length, 2);
  await waitFor(async () => {
    held.shift()?.();
    return (await fixture.describe(executionArn)).status === 'SUCCEEDED';
  }, 5_000);
  fixture.stop();
});

test('children that ended more than 14 days ago stay failed and count to the threshold', async () => {
  let isBroken = true;
  const held: (() => void)[] = [];
  const fixture = await startFixture((_call, payload) => {
    if (inputOf(payload) === 0) return fail('Bad');
    return isBroken ? new Promise((resolve) => held.push(() => resolve(fail('Late')))) : succeed();
  });
  const machine = distributedMap({ Work: task('work') }, { ToleratedFailureCount: 1 });
  const executionArn = await fixture.run(machine, [0, 1]);
  await waitFor(() => held.length === 1, 5_000);
  const day = 24 * 60 * 60 * 1000;
  fixture.clock.advance(10 * day);
  held.shift()?.();
  assert.equal((await fixture.ended(executionArn)).status, 'FAILED');
  fixture.clock.advance(10 * day);
  const { described } = await mapRunOf(fixture, executionArn);
  assert.equal(described.executionCounts['failed'], 2);
  assert.equal(described.executionCounts['failuresNotRedrivable'], 1);
  isBroken = false;
  await fixture.call('RedriveExecution', { executionArn });
  assert.equal((await fixture.ended(executionArn)).status, 'SUCCEEDED');
  const after = await mapRunOf(fixture, executionArn);
  assert.equal(after.described.executionCounts['failed'], 1);
  fixture.stop();
});

test('a stopped Map Run goes on with its aborted children when its parent is redriven', async () => {
  let isHanging = true;
  const fixture = await startFixture(() =>
    isHanging ? new Promise(() => undefined) : succeed({ Payload: 'done' }),
  );
  const machine = distributedMap({ Work: task('work', { OutputPath: '$.Payload' }) });
  const executionArn = await fixture.run(machine, [1, 2]);
  await waitFor(async () => (await runningChildren(fixture, executionArn)) === 2, 5_000);
  await fixture.call('StopExecution', { executionArn });
  isHanging = false;
  // At once: the redrive waits for the Map Run to have aborted its children.
  await fixture.call('RedriveExecution', { executionArn });
  const { status, output } = await fixture.ended(executionArn);
  assert.equal(status, 'SUCCEEDED');
  assert.deepEqual(JSON.parse(output ?? ''), ['done', 'done']);
  const { children } = await mapRunOf(fixture, executionArn);
  assert.deepEqual(
    children.map(({ redriveCount }) => redriveCount),
    [1, 1],
  );
  fixture.stop();
});

test('results that were too large start a new Map Run', async () => {
  const fixture = await startFixture(() => succeed());
  const large = { Pass: { Type: 'Pass', Result: 'x'.repeat(200_000), End: true } };
  const executionArn = await fixture.run(distributedMap(large), [1, 2]);
  assert.equal((await fixture.ended(executionArn)).error, 'States.DataLimitExceeded');
  await fixture.call('RedriveExecution', { executionArn });
  await fixture.ended(executionArn);
  const { mapRuns } = await fixture.call<{ mapRuns: object[] }>('ListMapRuns', { executionArn });
  assert.equal(mapRuns.length, 2);
  fixture.stop();
});

test('a Map Run whose engine stopped while it was aborted is aborted at the next start', async () => {
  const hang = (): Promise<never> => new Promise(() => undefined);
  const first = await startFixture(hang);
  const executionArn = await first.run(distributedMap({ Work: task('work') }), [1, 2]);
  await waitFor(async () => (await runningChildren(first, executionArn)) === 2, 5_000);
  await first.call('StopExecution', { executionArn });
  first.stop();
  const second = await startFixture(hang, { dataDir: first.dataDir });
  const aborted = await waitFor(async () => {
    const { described } = await mapRunOf(second, executionArn);
    return described.status === 'ABORTED' && described;
  }, 5_000);
  assert.equal(aborted.executionCounts['aborted'], 2);
  assert.equal(aborted.executionCounts['running'], 0);
  second.stop();
});
