import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Engine } from '../../local/stepfunctions/engine.ts';
import { createManualClock } from '../../local/stepfunctions/clock.ts';
import { createEngine } from '../../local/stepfunctions/engine.ts';
import { waitFor } from '../support/wait-for.ts';
import { ROLE, temporaryFolder, type Described } from './engine-fixture.ts';

const CHILD = {
  StartAt: 'Pause',
  States: {
    Pause: { Type: 'Wait', Seconds: 10, Next: 'Whether' },
    Whether: {
      Type: 'Choice',
      Choices: [{ Variable: '$.fail', BooleanEquals: true, Next: 'Bad' }],
      Default: 'Good',
    },
    Good: { Type: 'Pass', Result: { done: true }, End: true },
    Bad: { Type: 'Fail', Error: 'ChildError', Cause: 'child cause' },
  },
};

type World = {
  engine: Engine;
  clock: ReturnType<typeof createManualClock>;
  parent(pattern: string, child: object): Promise<string>;
  children(): Promise<{ executionArn: string; status: string }[]>;
  ended(executionArn: string): Promise<Described>;
};

/** An engine with its own drivers; a parent that starts the child machine. */
async function startWorld(dataDir = temporaryFolder(), now?: number): Promise<World> {
  const clock = createManualClock(now ?? Date.UTC(2026, 0, 1));
  const engine = createEngine({ dataDir, clock });
  const call = async <T>(operation: string, request: object): Promise<T> =>
    (await engine.call(operation, request)) as T;
  const create = async (name: string, definition: object): Promise<string> => {
    const { stateMachineArn } = await call<{ stateMachineArn: string }>('CreateStateMachine', {
      name,
      roleArn: ROLE,
      definition: JSON.stringify(definition),
    });
    return stateMachineArn;
  };
  const childArn = await create('child', CHILD);
  return {
    engine,
    clock,
    async parent(pattern, child) {
      const stateMachineArn = await create(`parent-${pattern.replaceAll(/[^a-z0-9]/gi, '-')}`, {
        StartAt: 'Start',
        States: {
          Start: {
            Type: 'Task',
            Resource: `arn:aws:states:::states:startExecution${pattern}`,
            Parameters: { StateMachineArn: childArn, Input: child },
            End: true,
          },
        },
      });
      const { executionArn } = await call<{ executionArn: string }>('StartExecution', {
        stateMachineArn,
      });
      return executionArn;
    },
    async children() {
      const { executions } = await call<{ executions: { executionArn: string; status: string }[] }>(
        'ListExecutions',
        { stateMachineArn: childArn },
      );
      return executions;
    },
    ended: (executionArn) =>
      waitFor(
        async () => {
          const described = await call<Described>('DescribeExecution', { executionArn });
          return described.status !== 'RUNNING' && described;
        },
        5000,
        `the end of ${executionArn}`,
      ),
  };
}

const isRunning = (world: World) => async (): Promise<boolean> => {
  const [child] = await world.children();
  return child?.status === 'RUNNING';
};

test('a parent does not wait for a plain startExecution', async () => {
  const world = await startWorld();
  const { status, output } = await world.ended(await world.parent('', { fail: true }));
  assert.equal(status, 'SUCCEEDED');
  const [child] = await world.children();
  assert.equal(JSON.parse(output ?? '').ExecutionArn, child?.executionArn);
  world.engine.stop();
});

test('.sync gives the output of the child as a text, .sync:2 as JSON', async () => {
  for (const [pattern, expected] of [
    ['.sync', '{"done":true}'],
    ['.sync:2', { done: true }],
  ] as const) {
    const world = await startWorld();
    const parent = await world.parent(pattern, { fail: false });
    await waitFor(isRunning(world), 5000);
    world.clock.advance(10_000);
    const { output } = await world.ended(parent);
    const { Output, Status, RedriveCount } = JSON.parse(output ?? '');
    assert.deepEqual(
      { Output, Status, RedriveCount },
      { Output: expected, Status: 'SUCCEEDED', RedriveCount: 0 },
    );
    world.engine.stop();
  }
});

test('a failed child fails its parent with States.TaskFailed and the whole story', async () => {
  const world = await startWorld();
  const parent = await world.parent('.sync:2', { fail: true });
  await waitFor(isRunning(world), 5000);
  world.clock.advance(10_000);
  const { error, cause } = await world.ended(parent);
  assert.equal(error, 'States.TaskFailed');
  const { Error, Cause, Status } = JSON.parse(cause ?? '');
  assert.deepEqual(
    { Error, Cause, Status },
    { Error: 'ChildError', Cause: 'child cause', Status: 'FAILED' },
  );
  world.engine.stop();
});

test('stopping the parent stops the child it waits for', async () => {
  const world = await startWorld();
  const parent = await world.parent('.sync', { fail: false });
  await waitFor(isRunning(world), 5000);
  await world.engine.call('StopExecution', { executionArn: parent });
  await waitFor(async () => (await world.children())[0]?.status === 'ABORTED', 5000);
  world.engine.stop();
});

test('a restart does not stop the child, and the parent takes its result', async () => {
  const dataDir = temporaryFolder();
  const first = await startWorld(dataDir);
  const parent = await first.parent('.sync', { fail: false });
  await waitFor(isRunning(first), 5000);
  first.engine.stop();
  const second = await startWorld(dataDir, first.clock.now());
  assert.equal((await second.children()).length, 1);
  second.clock.advance(10_000);
  assert.equal((await second.ended(parent)).status, 'SUCCEEDED');
  assert.equal((await second.children()).length, 1);
  second.engine.stop();
});
