import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../local/stepfunctions/language/json.ts';
import { waitFor } from '../support/wait-for.ts';
import { fail, functionOf, startFixture, succeed, task, types } from './engine-fixture.ts';
import { distributedMap, mapRunOf, runningChildren } from './map-run-fixture.ts';

test('a distributed Map gives the results in the order of its items, whatever order its children end in', async () => {
  const held: (() => void)[] = [];
  const fixture = await startFixture(
    (_call, payload) =>
      new Promise((resolve) => held.push(() => resolve(succeed({ Payload: payload })))),
  );
  const executionArn = await fixture.run(
    distributedMap({ Work: task('work', { OutputPath: '$.Payload.input' }) }),
    ['a', 'b', 'c'],
  );
  await waitFor(() => held.length === 3, 5_000);
  for (const release of held.toReversed()) release();
  const { status, output } = await fixture.ended(executionArn);
  assert.equal(status, 'SUCCEEDED');
  assert.deepEqual(JSON.parse(output ?? ''), ['a', 'b', 'c']);
  assert.deepEqual(types(await fixture.history(executionArn)), [
    'ExecutionStarted',
    'MapStateEntered',
    'MapStateStarted',
    'MapRunStarted',
    'MapRunSucceeded',
    'MapStateSucceeded',
    'MapStateExited',
    'ExecutionSucceeded',
  ]);
  fixture.stop();
});

test('a child is an execution of its own, with history, context and ARN of its own', async () => {
  const fixture = await startFixture(() => succeed());
  const executionArn = await fixture.run(
    distributedMap(
      { See: { Type: 'Pass', Parameters: { 'seen.$': '$$' }, End: true } },
      { Label: 'Orders' },
    ),
    [{ order: 1 }],
  );
  const { output } = await fixture.ended(executionArn);
  const [{ seen }] = JSON.parse(output ?? '') as [{ seen: Record<string, Record<string, string>> }];
  assert.match(seen['Execution']?.['Id'] ?? '', /:execution:machine-1\/Orders:[\w-]{36}$/);
  assert.match(seen['StateMachine']?.['Id'] ?? '', /:stateMachine:machine-1\/Orders$/);
  const { run, children } = await mapRunOf(fixture, executionArn);
  assert.match(run.mapRunArn, /:mapRun:machine-1\/Orders:[\w-]{36}$/);
  const [child] = children;
  assert.equal(child?.executionArn, seen['Execution']?.['Id']);
  assert.deepEqual(types(await fixture.history(child?.executionArn ?? '')), [
    'ExecutionStarted',
    'PassStateEntered',
    'PassStateExited',
    'ExecutionSucceeded',
  ]);
  const { executions } = await fixture.call<{ executions: object[] }>('ListExecutions', {
    stateMachineArn: executionArn.replace(':execution:', ':stateMachine:').replace(/:[^:]+$/, ''),
  });
  assert.equal(executions.length, 1, 'children are listed by their Map Run, not by the machine');
  fixture.stop();
});

test('children cannot read the variables of the parent', async () => {
  const fixture = await startFixture(() => succeed());
  const machine = {
    StartAt: 'Assign',
    States: {
      Assign: { Type: 'Pass', Assign: { secret: 1 }, Next: 'Map' },
      ...distributedMap({
        Read: { Type: 'Pass', Parameters: { 'read.$': '$secret' }, End: true },
      }).States,
    },
  };
  const executionArn = await fixture.run(machine, [1]);
  assert.equal((await fixture.ended(executionArn)).status, 'FAILED');
  const { children } = await mapRunOf(fixture, executionArn);
  const { error } = await fixture.describe(children[0]?.executionArn ?? '');
  assert.equal(error, 'States.Runtime');
  fixture.stop();
});

test('never more children run than MaxConcurrency says, also after UpdateMapRun', async () => {
  const held: (() => void)[] = [];
  let atOnce = 0;
  let most = 0;
  const fixture = await startFixture(
    () =>
      new Promise((resolve) => {
        most = Math.max(most, ++atOnce);
        held.push(() => {
          atOnce--;
          resolve(succeed());
        });
      }),
  );
  const executionArn = await fixture.run(
    distributedMap({ Work: task('work') }, { MaxConcurrency: 2 }),
    Array.from({ length: 12 }, (_, index) => index),
  );
  await waitFor(() => held.length === 2, 5_000);
  held.shift()?.();
  await waitFor(() => held.length === 2, 5_000);
  assert.equal(most, 2);
  const { run } = await mapRunOf(fixture, executionArn);
  await fixture.call('UpdateMapRun', { mapRunArn: run.mapRunArn, maxConcurrency: 5 });
  await waitFor(() => held.length === 5, 5_000);
  await waitFor(async () => {
    held.shift()?.();
    return (await fixture.describe(executionArn)).status === 'SUCCEEDED';
  }, 5_000);
  assert.equal(most, 5);
  fixture.stop();
});

test('ItemBatcher fills batches by number and by bytes, in the order of the items', async () => {
  const fixture = await startFixture(() => succeed());
  const batcher = { MaxItemsPerBatch: 2, BatchInput: { 'shared.$': '$.shared' } };
  const input = { shared: 's', items: [1, 2, 3, 4, 5] };
  const executionArn = await fixture.run(
    distributedMap(
      { Pass: { Type: 'Pass', End: true } },
      { ItemsPath: '$.items', ItemBatcher: batcher },
    ),
    input,
  );
  const { output } = await fixture.ended(executionArn);
  const shared = { shared: 's' };
  assert.deepEqual(JSON.parse(output ?? ''), [
    { BatchInput: shared, Items: [1, 2] },
    { BatchInput: shared, Items: [3, 4] },
    { BatchInput: shared, Items: [5] },
  ]);
  const { described } = await mapRunOf(fixture, executionArn);
  assert.equal(described.executionCounts['total'], 3);
  assert.equal(described.itemCounts['total'], 5);

  const bytes = await fixture.run(
    distributedMap(
      { Pass: { Type: 'Pass', End: true } },
      { ItemBatcher: { MaxInputBytesPerBatch: 40 } },
    ),
    ['x'.repeat(10), 'y'.repeat(10), 'z'.repeat(10)],
  );
  const { output: batches } = await fixture.ended(bytes);
  // {"Items":["xxxxxxxxxx","yyyyyyyyyy"]} is 37 bytes; three items do not fit into 40.
  assert.deepEqual(
    (JSON.parse(batches ?? '') as { Items: Json[] }[]).map(({ Items }) => Items.length),
    [2, 1],
  );
  fixture.stop();
});

test('ItemSelector sees the item, its index and where it came from', async () => {
  const fixture = await startFixture(() => succeed());
  const selector = {
    'value.$': '$$.Map.Item.Value',
    'index.$': '$$.Map.Item.Index',
    'source.$': '$$.Map.Item.Source',
  };
  const executionArn = await fixture.run(
    distributedMap({ Pass: { Type: 'Pass', End: true } }, { ItemSelector: selector }),
    ['a', 'b'],
  );
  const { output } = await fixture.ended(executionArn);
  assert.deepEqual(JSON.parse(output ?? ''), [
    { value: 'a', index: 0, source: 'STATE_DATA' },
    { value: 'b', index: 1, source: 'STATE_DATA' },
  ]);
  fixture.stop();
});

const failing = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
const failsAt =
  (limit: number) =>
  (_call: unknown, payload: Json): ReturnType<typeof succeed> =>
    (payload as { input: number }).input < limit ? fail('Bad') : succeed();

for (const [title, tolerance, failures, expected] of [
  ['no failure is tolerated unless it is said', {}, 1, 'FAILED'],
  [
    'as many failures as ToleratedFailureCount are tolerated',
    { ToleratedFailureCount: 3 },
    3,
    'SUCCEEDED',
  ],
  [
    'one failure more than ToleratedFailureCount fails the Map Run',
    { ToleratedFailureCount: 3 },
    4,
    'FAILED',
  ],
  [
    'failures of exactly ToleratedFailurePercentage are tolerated',
    { ToleratedFailurePercentage: 30 },
    3,
    'SUCCEEDED',
  ],
  [
    'failures above ToleratedFailurePercentage fail the Map Run',
    { ToleratedFailurePercentage: 30 },
    4,
    'FAILED',
  ],
  [
    'of two thresholds the lower one trips',
    { ToleratedFailureCount: 9, ToleratedFailurePercentage: 10 },
    2,
    'FAILED',
  ],
] as const) {
  test(title, async () => {
    const fixture = await startFixture(failsAt(failures));
    const machine = distributedMap({ Work: task('work') }, { ...tolerance, MaxConcurrency: 1 });
    const described = await fixture.ended(await fixture.run(machine, failing));
    assert.equal(described.status, expected);
    if (expected === 'FAILED') {
      assert.equal(described.error, 'States.ExceedToleratedFailureThreshold');
    }
    fixture.stop();
  });
}

test('a Map Run that has failed starts no more children and aborts those that run', async () => {
  const fixture = await startFixture((_call, payload) =>
    (payload as { input: number }).input === 1
      ? fail('Bad')
      : new Promise((resolve) => {
          // Never answered: only being aborted ends it.
          void resolve;
        }),
  );
  const machine = distributedMap({ Work: task('work') }, { MaxConcurrency: 2 });
  const executionArn = await fixture.run(machine, [0, 1, 2, 3]);
  assert.equal((await fixture.ended(executionArn)).status, 'FAILED');
  const { described } = await mapRunOf(fixture, executionArn);
  assert.equal(described.status, 'FAILED');
  const { aborted = 0, failed, pending = 0, running } = described.executionCounts;
  assert.equal(failed, 1);
  assert.equal(running, 0);
  assert.ok(aborted >= 1, 'the child that ran was aborted');
  assert.equal(aborted + pending, 3);
  fixture.stop();
});

test('stopping the parent aborts the Map Run and its children', async () => {
  const fixture = await startFixture(() => new Promise(() => undefined));
  const executionArn = await fixture.run(distributedMap({ Work: task('work') }), [1, 2]);
  await waitFor(async () => (await runningChildren(fixture, executionArn)) === 2, 5_000);
  await fixture.call('StopExecution', { executionArn });
  await waitFor(
    async () => (await mapRunOf(fixture, executionArn)).described.status === 'ABORTED',
    5_000,
  );
  const { children } = await mapRunOf(fixture, executionArn);
  assert.deepEqual(
    children.map(({ status }) => status),
    ['ABORTED', 'ABORTED'],
  );
  fixture.stop();
});

test('results that are too large for the state fail it with States.DataLimitExceeded', async () => {
  const fixture = await startFixture(() => succeed());
  const pass = { Pass: { Type: 'Pass', Result: 'x'.repeat(200_000), End: true } };
  const { status, error } = await fixture.ended(await fixture.run(distributedMap(pass), [1, 2]));
  assert.equal(status, 'FAILED');
  assert.equal(error, 'States.DataLimitExceeded');
  fixture.stop();
});

test('Express children, nested distributed Maps and an empty array', async () => {
  const fixture = await startFixture((call) => succeed({ Payload: functionOf(call) }));
  const inner = distributedMap(
    { Work: task('inner', { Parameters: { FunctionName: 'inner' }, OutputPath: '$.Payload' }) },
    { ItemsPath: '$.list' },
    'EXPRESS',
  );
  const outer = {
    StartAt: 'Outer',
    States: {
      Outer: {
        Type: 'Map',
        ItemProcessor: {
          ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' },
          ...inner,
        },
        End: true,
      },
    },
  };
  const { output } = await fixture.ended(
    await fixture.run(outer, [{ list: [1, 2] }, { list: [] }]),
  );
  assert.deepEqual(JSON.parse(output ?? ''), [['inner', 'inner'], []]);
  fixture.stop();
});

test('an Express child of a Map Run is listed and described, with why it failed', async () => {
  const fixture = await startFixture(() => fail('Bad'));
  const machine = distributedMap(
    { Work: task('work', { Parameters: { FunctionName: 'work' } }) },
    {},
    'EXPRESS',
  );
  const executionArn = await fixture.run(machine, [0]);
  assert.equal((await fixture.ended(executionArn)).status, 'FAILED');
  const { children, run } = await mapRunOf(fixture, executionArn);
  const [child] = children;
  assert.equal(child?.status, 'FAILED');
  assert.match(child.executionArn, /:express:/);
  const described = await fixture.call<{ error: string; mapRunArn: string }>('DescribeExecution', {
    executionArn: child.executionArn,
  });
  assert.equal(described.error, 'Bad');
  assert.equal(described.mapRunArn, run.mapRunArn);
  fixture.stop();
});

test('a Retry of the Map starts a new Map Run with all items', async () => {
  let calls = 0;
  const fixture = await startFixture(() => (++calls === 1 ? fail('Bad') : succeed()));
  const retry = [{ ErrorEquals: ['States.ALL'], IntervalSeconds: 1, MaxAttempts: 1 }];
  const executionArn = await fixture.run(
    distributedMap({ Work: task('work') }, { Retry: retry, MaxConcurrency: 1 }),
    [1, 2],
  );
  await waitFor(
    async () => types(await fixture.history(executionArn)).includes('MapRunFailed'),
    5_000,
  );
  fixture.clock.advance(1_000);
  assert.equal((await fixture.ended(executionArn)).status, 'SUCCEEDED');
  const { mapRuns } = await fixture.call<{ mapRuns: object[] }>('ListMapRuns', { executionArn });
  assert.equal(mapRuns.length, 2);
  fixture.stop();
});

test('an engine that is stopped in the middle of a Map Run goes on with it at the next start', async () => {
  const errors: unknown[] = [];
  const play = (): Promise<ReturnType<typeof succeed>> =>
    new Promise((resolve) => setImmediate(() => resolve(succeed())));
  const items = Array.from({ length: 400 }, (_, index) => index);
  const machine = distributedMap(
    { Work: task('work', { ResultPath: null }) },
    { MaxConcurrency: 10 },
  );
  const report = (error: unknown): void => void errors.push(error);
  const first = await startFixture(play, { report });
  const executionArn = await first.run(machine, items);
  await waitFor(async () => {
    const { described } = await mapRunOf(first, executionArn);
    return (described.executionCounts['succeeded'] ?? 0) > 50;
  }, 10_000);
  first.stop();
  const second = await startFixture(play, { dataDir: first.dataDir, report });
  const { status, output } = await second.ended(executionArn);
  assert.equal(status, 'SUCCEEDED');
  assert.deepEqual(JSON.parse(output ?? ''), items);
  assert.deepEqual(errors, []);
  const [child] = (await mapRunOf(second, executionArn)).children;
  const { name, label, stateMachineArn } = await second.call<Record<string, string>>(
    'DescribeStateMachineForExecution',
    { executionArn: child?.executionArn },
  );
  assert.equal(name, 'machine-1');
  assert.match(label ?? '', /^[\w-]{36}$/);
  assert.match(stateMachineArn ?? '', /:stateMachine:machine-1$/);
  second.stop();
});
