import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startFixture, succeed, task, types } from './engine-fixture.ts';

const WAITING = { StartAt: 'Pause', States: { Pause: { Type: 'Wait', Seconds: 60, End: true } } };

test('the same name and input as a running execution answer the first start again', async () => {
  const fixture = await startFixture(() => succeed());
  const stateMachineArn = await fixture.create(WAITING);
  const request = { stateMachineArn, name: 'one', input: '{"a":1}' };
  const first = await fixture.call('StartExecution', request);
  fixture.clock.advance(1000);
  assert.deepEqual(await fixture.call('StartExecution', request), first);
  await assert.rejects(fixture.call('StartExecution', { ...request, input: '{"a":2}' }), {
    code: 'ExecutionAlreadyExists',
  });
  fixture.stop();
});

test('the name of an execution that has ended is taken, also with the same input', async () => {
  const fixture = await startFixture(() => succeed());
  const stateMachineArn = await fixture.create(WAITING);
  const executionArn = await fixture.start(stateMachineArn, { a: 1 }, 'one');
  fixture.clock.advance(60_000);
  await fixture.ended(executionArn);
  await assert.rejects(fixture.start(stateMachineArn, { a: 1 }, 'one'), {
    code: 'ExecutionAlreadyExists',
    message: `Execution Already Exists: '${executionArn}'`,
  });
  fixture.stop();
});

test('fifty starts of one name at the same moment make one execution', async () => {
  const fixture = await startFixture(() => succeed());
  const stateMachineArn = await fixture.create(WAITING);
  const arns = await Promise.all(
    Array.from({ length: 50 }, () => fixture.start(stateMachineArn, {}, 'one')),
  );
  assert.equal(new Set(arns).size, 1);
  const started = types(await fixture.history(arns[0] ?? '')).filter(
    (type) => type === 'ExecutionStarted',
  );
  assert.equal(started.length, 1);
  assert.equal(fixture.engine.counts().open, 1);
  fixture.stop();
});

test('90 days after an execution has ended its name is free again', async () => {
  const fixture = await startFixture(() => succeed());
  const stateMachineArn = await fixture.create(WAITING);
  const first = await fixture.start(stateMachineArn, {}, 'one');
  fixture.clock.advance(60_000);
  await fixture.ended(first);
  fixture.clock.advance(90 * 24 * 60 * 60 * 1000 + 2 * 60 * 60 * 1000);
  const second = await fixture.start(stateMachineArn, {}, 'one');
  assert.equal(second, first);
  assert.equal((await fixture.describe(second)).status, 'RUNNING');
  fixture.stop();
});

test('names and inputs that AWS refuses are refused in its words', async () => {
  const fixture = await startFixture(() => succeed());
  const stateMachineArn = await fixture.create(WAITING);
  const refused = (request: object, error: object): Promise<void> =>
    assert.rejects(fixture.call('StartExecution', { stateMachineArn, ...request }), error);
  for (const name of ['a b', 'a/b', 'a?b', 'a\u0000b', 'a\ud800b']) {
    await refused({ name }, { code: 'InvalidName' });
  }
  await refused(
    { name: 'x'.repeat(81) },
    {
      code: 'ValidationException',
      message: `1 validation error detected: Value '${'x'.repeat(81)}' at 'name' failed to satisfy constraint: Member must have length less than or equal to 80`,
    },
  );
  await refused(
    { input: 'not JSON' },
    {
      code: 'InvalidExecutionInput',
      message:
        "Invalid State Machine Execution Input: 'Unrecognized token 'not': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')'",
    },
  );
  await refused({ input: '' }, { code: 'InvalidExecutionInput' });
  await refused({ input: '['.repeat(2000) + ']'.repeat(2000) }, { code: 'InvalidExecutionInput' });
  await refused({ input: JSON.stringify('€'.repeat(90_000)) }, { code: 'ValidationException' });
  await refused({ stateMachineArn: `${stateMachineArn}x` }, { code: 'StateMachineDoesNotExist' });
  fixture.stop();
});

test('a version or alias in the ARN pins the definition; the plain ARN is the latest', async () => {
  const fixture = await startFixture(() => succeed());
  const machine = (result: string): object => ({
    StartAt: 'Only',
    States: { Only: { Type: 'Pass', Result: result, End: true } },
  });
  const stateMachineArn = await fixture.create(machine('old'), { publish: true });
  await fixture.call('UpdateStateMachine', {
    stateMachineArn,
    definition: JSON.stringify(machine('new')),
  });
  const { stateMachineAliasArn } = await fixture.call<{ stateMachineAliasArn: string }>(
    'CreateStateMachineAlias',
    {
      name: 'live',
      routingConfiguration: [{ stateMachineVersionArn: `${stateMachineArn}:1`, weight: 100 }],
    },
  );
  const outputOf = async (arn: string): Promise<string | undefined> =>
    (await fixture.ended(await fixture.start(arn))).output;
  assert.equal(await outputOf(stateMachineArn), '"new"');
  assert.equal(await outputOf(`${stateMachineArn}:1`), '"old"');
  assert.equal(await outputOf(stateMachineAliasArn), '"old"');
  fixture.stop();
});

test('deleting a machine ends its executions, whose history stays', async () => {
  const fixture = await startFixture(() => succeed());
  const stateMachineArn = await fixture.create({ StartAt: 'Only', States: { Only: task('f') } });
  const waiting = await fixture.create(WAITING);
  const done = await fixture.start(stateMachineArn);
  await fixture.ended(done);
  const open = await fixture.start(waiting);
  await fixture.call('DeleteStateMachine', { stateMachineArn: waiting });
  await fixture.call('DeleteStateMachine', { stateMachineArn });
  assert.equal((await fixture.describe(open)).status, 'ABORTED');
  assert.equal((await fixture.describe(done)).status, 'SUCCEEDED');
  await assert.rejects(fixture.start(waiting), { code: 'StateMachineDoesNotExist' });
  fixture.stop();
});
