import assert from 'node:assert/strict';
import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import {
  CreateStateMachineCommand,
  DescribeExecutionCommand,
  GetExecutionHistoryCommand,
  StartExecutionCommand,
  type HistoryEvent,
  type SFNClient,
} from '@aws-sdk/client-sfn';
import { waitFor } from '../support/wait-for.ts';
import { ROLE, temporaryFolder } from './engine-fixture.ts';
import { clientOf, engineRefusal, startEngineProcess, startLambda } from './engine-process.ts';

async function create(client: SFNClient, definition: object): Promise<string> {
  const { stateMachineArn } = await client.send(
    new CreateStateMachineCommand({
      name: `machine-${Date.now()}`,
      roleArn: ROLE,
      definition: JSON.stringify(definition),
    }),
  );
  return stateMachineArn ?? '';
}

async function start(client: SFNClient, stateMachineArn: string, name: string): Promise<string> {
  const { executionArn } = await client.send(
    new StartExecutionCommand({ stateMachineArn, name, input: '{}' }),
  );
  return executionArn ?? '';
}

async function ended(client: SFNClient, executionArn: string, timeoutMs: number): Promise<string> {
  return waitFor(
    async () => {
      const { status } = await client.send(new DescribeExecutionCommand({ executionArn }));
      return status !== 'RUNNING' && status;
    },
    timeoutMs,
    `the end of ${executionArn}`,
  );
}

async function history(client: SFNClient, executionArn: string): Promise<HistoryEvent[]> {
  const { events = [] } = await client.send(
    new GetExecutionHistoryCommand({ executionArn, maxResults: 1000 }),
  );
  return events;
}

function assertWholeHistory(events: HistoryEvent[]): void {
  assert.deepEqual(
    events.map(({ id }) => id),
    events.map((_event, index) => index + 1),
    'ids without gap or repeat',
  );
  const exits = events.filter(({ type }) => type?.endsWith('StateExited'));
  const entries = events.filter(({ type }) => type?.endsWith('StateEntered'));
  assert.equal(exits.length, entries.length, 'each state exited once');
}

/** ENGINE_FIELD_SCALE=1 takes the times of the reported case; the short form keeps the suite quick. */
const scale = Number(process.env['ENGINE_FIELD_SCALE'] ?? 0.3);
const pauseSeconds = Math.round(10 * scale);

/** Pass, a Wait of 10 s, a Task of 3 s, a Map of five, Succeed: killed in each of them. */
const FIELD_CASE = {
  StartAt: 'Begin',
  States: {
    Begin: { Type: 'Pass', Result: [1, 2, 3, 4, 5], ResultPath: '$.items', Next: 'Pause' },
    Pause: { Type: 'Wait', Seconds: pauseSeconds, Next: 'Slow' },
    Slow: {
      Type: 'Task',
      Resource: 'arn:aws:states:::lambda:invoke',
      Parameters: { FunctionName: 'slow', 'Payload.$': '$$.Execution.Name' },
      TimeoutSeconds: 30,
      ResultPath: null,
      Next: 'Each',
    },
    Each: {
      Type: 'Map',
      ItemsPath: '$.items',
      Next: 'Done',
      ItemProcessor: {
        StartAt: 'One',
        States: {
          One: {
            Type: 'Task',
            Resource: 'arn:aws:states:::lambda:invoke',
            Parameters: { FunctionName: 'one', 'Payload.$': '$' },
            TimeoutSeconds: 30,
            OutputPath: '$.Payload',
            End: true,
          },
        },
      },
    },
    Done: { Type: 'Succeed' },
  },
};

test('twenty executions go on after three kills, and a Wait ends when it would have', async () => {
  const lambda = await startLambda(async (name, payload) => {
    await delay(name === 'slow' ? 3000 * scale : 100);
    return payload;
  });
  const dataDir = temporaryFolder();
  const env = { LAMBDA_ENDPOINT: lambda.endpoint };
  let engine = await startEngineProcess({ dataDir, env });
  const { port, endpoint } = engine;
  const client = clientOf(endpoint);
  const machine = await create(client, FIELD_CASE);
  const arns = await Promise.all(
    Array.from({ length: 20 }, (_, index) => start(client, machine, `c1-${index}`)),
  );
  const startedAt = Date.now();
  // In the Wait, at its end while the engine is away, and in the Task.
  for (const killAtSeconds of [4, 9, 13]) {
    await delay(Math.max(0, startedAt + killAtSeconds * 1000 * scale - Date.now()));
    await engine.kill();
    await delay(2000 * scale);
    engine = await startEngineProcess({ dataDir, port, env });
  }
  for (const arn of arns) assert.equal(await ended(client, arn, 30_000), 'SUCCEEDED');
  for (const arn of arns) {
    const events = await history(client, arn);
    assertWholeHistory(events);
    const at = (type: string): number =>
      events.find((event) => event.type === type)?.timestamp?.getTime() ?? 0;
    const waitedMs = at('WaitStateExited') - at('WaitStateEntered');
    // Its deadline is kept; while the engine was away nobody could notice it.
    const expectedMs = pauseSeconds * 1000;
    assert.ok(
      waitedMs >= expectedMs - 10 && waitedMs < expectedMs + 4000,
      `the Wait took ${waitedMs} ms`,
    );
    assert.ok(!events.some(({ type }) => type === 'TaskFailed'), 'no attempt was lost to a kill');
  }
  assert.equal(await engine.stop(), 0);
});

test('an interrupted attempt is invoked again as the same attempt', async () => {
  let invocations = 0;
  const lambda = await startLambda(async () => {
    invocations += 1;
    // The first invocation never answers: the engine is killed meanwhile.
    return invocations === 1 ? undefined : { fine: true };
  });
  const dataDir = temporaryFolder();
  const env = { LAMBDA_ENDPOINT: lambda.endpoint };
  const first = await startEngineProcess({ dataDir, env });
  const machine = await create(clientOf(first.endpoint), {
    StartAt: 'Only',
    States: {
      Only: {
        Type: 'Task',
        Resource: 'arn:aws:states:::lambda:invoke',
        Parameters: { FunctionName: 'f', Payload: { 'retries.$': '$$.State.RetryCount' } },
        Retry: [{ ErrorEquals: ['States.ALL'], MaxAttempts: 1 }],
        ResultSelector: { 'payload.$': '$.Payload' },
        End: true,
      },
    },
  });
  const arn = await start(clientOf(first.endpoint), machine, 'interrupted');
  await waitFor(() => invocations === 1, 5000);
  await first.kill();
  const second = await startEngineProcess({ dataDir, env });
  const client = clientOf(second.endpoint);
  assert.equal(await ended(client, arn, 10_000), 'SUCCEEDED');
  assert.equal(invocations, 2);
  const types = (await history(client, arn)).map(({ type }) => type);
  assert.deepEqual(types, [
    'ExecutionStarted',
    'TaskStateEntered',
    'TaskScheduled',
    'TaskStarted',
    'TaskSucceeded',
    'TaskStateExited',
    'ExecutionSucceeded',
  ]);
  await second.stop();
});

test("an attempt's timeout counts from its recorded start, also over a restart", async () => {
  const lambda = await startLambda(async () => undefined);
  const dataDir = temporaryFolder();
  const env = { LAMBDA_ENDPOINT: lambda.endpoint };
  const first = await startEngineProcess({ dataDir, env });
  const machine = await create(clientOf(first.endpoint), {
    StartAt: 'Only',
    States: {
      Only: {
        Type: 'Task',
        Resource: 'arn:aws:lambda:us-east-1:000000000000:function:f',
        TimeoutSeconds: 2,
        End: true,
      },
    },
  });
  const arn = await start(clientOf(first.endpoint), machine, 'times-out');
  await first.kill();
  await delay(1000);
  const second = await startEngineProcess({ dataDir, env });
  const client = clientOf(second.endpoint);
  assert.equal(await ended(client, arn, 10_000), 'FAILED');
  const events = await history(client, arn);
  const at = (type: string): number =>
    events.find((event) => event.type === type)?.timestamp?.getTime() ?? 0;
  const tookMs = at('LambdaFunctionTimedOut') - at('LambdaFunctionStarted');
  assert.ok(tookMs >= 1990 && tookMs < 2900, `it timed out after ${tookMs} ms`);
  await second.stop();
});

test('a damaged log is refused with a clear error', async () => {
  const dataDir = temporaryFolder();
  const engine = await startEngineProcess({ dataDir });
  const machine = await create(clientOf(engine.endpoint), {
    StartAt: 'Only',
    States: { Only: { Type: 'Pass', Result: 'x'.repeat(20_000), End: true } },
  });
  for (let index = 0; index < 20; index++) {
    await start(clientOf(engine.endpoint), machine, `filler-${index}`);
  }
  assert.equal(await engine.stop(), 0);
  const file = join(dataDir, 'stepfunctions.sqlite');
  const handle = openSync(file, 'r+');
  const garbage = Buffer.alloc(4096, 0xa5);
  for (let at = 4096; at < statSync(file).size; at += 8192) writeSync(handle, garbage, 0, 4096, at);
  closeSync(handle);
  const { code, stderr } = await engineRefusal(dataDir);
  assert.equal(code, 1);
  assert.match(stderr, /stepfunctions\.sqlite.*damaged.*backup/s);
});

test('a second engine on the same folder is refused', async () => {
  const dataDir = temporaryFolder();
  const engine = await startEngineProcess({ dataDir });
  const { code, stderr } = await engineRefusal(dataDir);
  assert.equal(code, 1);
  assert.match(stderr, /another engine is using it/);
  await engine.stop();
});

test('a full disk ends the engine with a clear error, and loses nothing acknowledged', async () => {
  const dataDir = temporaryFolder();
  const engine = await startEngineProcess({ dataDir, maxFileBlocks: 2000 });
  const client = clientOf(engine.endpoint);
  const machine = await create(client, {
    StartAt: 'Only',
    States: { Only: { Type: 'Pass', Result: 'x'.repeat(20_000), End: true } },
  });
  const acknowledged: string[] = [];
  await assert.rejects(async () => {
    for (let index = 0; index < 1000; index++) {
      acknowledged.push(await start(client, machine, `filler-${index}`));
    }
  });
  assert.equal(await engine.ended(), 1);
  assert.match(engine.stderr(), /The execution log cannot be written \(is the disk full\?\)/);
  assert.ok(acknowledged.length > 0);
  const again = await startEngineProcess({ dataDir });
  for (const arn of acknowledged) {
    assert.equal(await ended(clientOf(again.endpoint), arn, 5000), 'SUCCEEDED');
  }
  await again.stop();
});
