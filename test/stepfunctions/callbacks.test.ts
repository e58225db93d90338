import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { isJsonObject, type Json } from '../../local/stepfunctions/language/json.ts';
import { startFixture, succeed, types, type Fixture } from './engine-fixture.ts';

/** A machine that hands its token to `ask` and waits for the answer. */
function callbackState(fields: object = {}): object {
  return {
    StartAt: 'Ask',
    States: {
      Ask: {
        Type: 'Task',
        Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
        Parameters: { FunctionName: 'ask', Payload: { 'token.$': '$$.Task.Token' } },
        End: true,
        ...fields,
      },
    },
  };
}

async function startAsking(): Promise<Fixture & { tokens: string[] }> {
  const tokens: string[] = [];
  const fixture = await startFixture((_call, payload: Json) => {
    if (isJsonObject(payload) && typeof payload['token'] === 'string')
      tokens.push(payload['token']);
    return { kind: 'submitted', output: { sent: true } };
  });
  return { ...fixture, tokens };
}

const tick = (): Promise<void> => delay(20);

test('a callback ends its state, once', async () => {
  const fixture = await startAsking();
  const executionArn = await fixture.run(callbackState());
  await tick();
  const [taskToken] = fixture.tokens;
  await fixture.call('SendTaskSuccess', { taskToken, output: '{"answer":42}' });
  assert.equal((await fixture.ended(executionArn)).output, '{"answer":42}');
  assert.deepEqual(types(await fixture.history(executionArn)), [
    'ExecutionStarted',
    'TaskStateEntered',
    'TaskScheduled',
    'TaskStarted',
    'TaskSubmitted',
    'TaskSucceeded',
    'TaskStateExited',
    'ExecutionSucceeded',
  ]);
  await assert.rejects(fixture.call('SendTaskSuccess', { taskToken, output: '1' }), {
    code: 'TaskTimedOut',
  });
  await assert.rejects(fixture.call('SendTaskSuccess', { taskToken: 'nonsense', output: '1' }), {
    code: 'InvalidToken',
  });
  fixture.stop();
});

test('a callback that never comes times out at the stated second, and comes too late afterwards', async () => {
  const fixture = await startAsking();
  const executionArn = await fixture.run(callbackState({ TimeoutSeconds: 10 }));
  await tick();
  fixture.clock.advance(9999);
  await tick();
  assert.equal((await fixture.describe(executionArn)).status, 'RUNNING');
  fixture.clock.advance(1);
  const { status, error } = await fixture.ended(executionArn);
  assert.deepEqual({ status, error }, { status: 'FAILED', error: 'States.Timeout' });
  const before = await fixture.history(executionArn);
  const [taskToken] = fixture.tokens;
  for (const late of ['SendTaskSuccess', 'SendTaskFailure', 'SendTaskHeartbeat']) {
    const request = late === 'SendTaskSuccess' ? { taskToken, output: '1' } : { taskToken };
    await assert.rejects(fixture.call(late, request), { code: 'TaskTimedOut' });
  }
  assert.deepEqual(await fixture.history(executionArn), before);
  fixture.stop();
});

test('heartbeats keep a task alive, and a missed one is caught under both of its names', async () => {
  for (const name of ['States.HeartbeatTimeout', 'States.Timeout']) {
    const fixture = await startAsking();
    const executionArn = await fixture.run({
      StartAt: 'Ask',
      States: {
        Ask: {
          Type: 'Task',
          Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
          Parameters: { FunctionName: 'ask', Payload: { 'token.$': '$$.Task.Token' } },
          TimeoutSeconds: 100,
          HeartbeatSeconds: 10,
          Catch: [{ ErrorEquals: [name], Next: 'Missed' }],
          End: true,
        },
        Missed: { Type: 'Pass', End: true },
      },
    });
    await tick();
    const [taskToken] = fixture.tokens;
    for (let beat = 0; beat < 3; beat++) {
      fixture.clock.advance(9000);
      await tick();
      await fixture.call('SendTaskHeartbeat', { taskToken });
    }
    assert.equal((await fixture.describe(executionArn)).status, 'RUNNING');
    fixture.clock.advance(10_000);
    const { status, output } = await fixture.ended(executionArn);
    assert.equal(status, 'SUCCEEDED');
    assert.equal(JSON.parse(output ?? '').Error, 'States.Timeout');
    fixture.stop();
  }
});

test('a retried callback has a new token, and the old one is worth nothing', async () => {
  const fixture = await startAsking();
  const executionArn = await fixture.run(
    callbackState({
      TimeoutSeconds: 10,
      Retry: [{ ErrorEquals: ['States.Timeout'], IntervalSeconds: 1, MaxAttempts: 1 }],
    }),
  );
  await tick();
  fixture.clock.advance(10_000);
  await tick();
  fixture.clock.advance(1000);
  await tick();
  const [old, current] = fixture.tokens;
  assert.equal(fixture.tokens.length, 2);
  assert.notEqual(old, current);
  await assert.rejects(fixture.call('SendTaskSuccess', { taskToken: old, output: '1' }), {
    code: 'TaskTimedOut',
  });
  await fixture.call('SendTaskSuccess', { taskToken: current, output: '2' });
  assert.equal((await fixture.ended(executionArn)).output, '2');
  fixture.stop();
});

test('an activity task goes to one worker, oldest first, and survives a restart while it waits', async () => {
  const first = await startAsking();
  const { activityArn } = await first.call<{ activityArn: string }>('CreateActivity', {
    name: 'work',
  });
  const machine = await first.create({
    StartAt: 'Work',
    States: { Work: { Type: 'Task', Resource: activityArn, End: true } },
  });
  const a = await first.start(machine, 'a', 'a');
  const b = await first.start(machine, 'b', 'b');
  first.stop();
  const second = await startFixture(() => succeed(), { dataDir: first.dataDir });
  type Handed = { taskToken: string; input: string };
  const handed = await Promise.all([
    second.call<Handed>('GetActivityTask', { activityArn, workerName: 'w1' }),
    second.call<Handed>('GetActivityTask', { activityArn, workerName: 'w2' }),
  ]);
  assert.deepEqual(
    handed.map(({ input }) => input),
    ['"a"', '"b"'],
  );
  for (const { taskToken, input } of handed) {
    await second.call('SendTaskSuccess', { taskToken, output: input });
  }
  assert.equal((await second.ended(a)).output, '"a"');
  assert.equal((await second.ended(b)).output, '"b"');
  second.stop();
});

test('a worker that hangs up is not given a task', async () => {
  const fixture = await startAsking();
  const { activityArn } = await fixture.call<{ activityArn: string }>('CreateActivity', {
    name: 'work',
  });
  const gone = new AbortController();
  const abandoned = fixture.engine.call('GetActivityTask', { activityArn }, gone.signal);
  await tick();
  gone.abort();
  assert.deepEqual(await abandoned, {});
  const executionArn = await fixture.run({
    StartAt: 'Work',
    States: { Work: { Type: 'Task', Resource: activityArn, End: true } },
  });
  const { taskToken } = await fixture.call<{ taskToken: string }>('GetActivityTask', {
    activityArn,
  });
  await fixture.call('SendTaskFailure', { taskToken, error: 'Mine', cause: 'why' });
  const { error, cause } = await fixture.ended(executionArn);
  assert.deepEqual({ error, cause }, { error: 'Mine', cause: 'why' });
  fixture.stop();
});
