import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import {
  CreateStateMachineCommand,
  DescribeExecutionCommand,
  GetExecutionHistoryCommand,
  StartExecutionCommand,
  type SFNClient,
} from '@aws-sdk/client-sfn';
import { ROLE, temporaryFolder } from '../stepfunctions/engine-fixture.ts';
import { clientOf, startEngineProcess, startLambda } from '../stepfunctions/engine-process.ts';
import { waitFor } from '../support/wait-for.ts';

/** ENGINE_KILL_SEED repeats a run; ENGINE_KILL_ROUNDS makes it longer (kills per run). */
const seed = Number(process.env['ENGINE_KILL_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const rounds = Number(process.env['ENGINE_KILL_ROUNDS'] ?? 6);

/** mulberry32: small, and the same on every machine. */
function seededRandom(from: number): () => number {
  let state = from;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function invoke(functionName: string, fields: object): object {
  return {
    Type: 'Task',
    Resource: 'arn:aws:states:::lambda:invoke',
    TimeoutSeconds: 60,
    Parameters: {
      FunctionName: functionName,
      Payload: { 'execution.$': '$$.Execution.Name', 'state.$': '$$.State.Name', 'input.$': '$' },
    },
    ...fields,
  };
}

const DEFINITION = {
  StartAt: 'First',
  States: {
    First: invoke('quick', { ResultPath: null, Next: 'Flaky' }),
    Flaky: invoke('flaky', {
      ResultPath: null,
      Retry: [{ ErrorEquals: ['Error'], IntervalSeconds: 1, BackoffRate: 1, MaxAttempts: 3 }],
      Next: 'Pause',
    }),
    Pause: { Type: 'Wait', Seconds: 1, Next: 'Both' },
    Both: {
      Type: 'Parallel',
      ResultPath: null,
      Next: 'Each',
      Branches: [
        { StartAt: 'Left', States: { Left: invoke('quick', { End: true }) } },
        { StartAt: 'Right', States: { Right: { Type: 'Wait', Seconds: 1, End: true } } },
      ],
    },
    Each: {
      Type: 'Map',
      ItemsPath: '$.items',
      MaxConcurrency: 2,
      End: true,
      ItemProcessor: {
        StartAt: 'Double',
        States: { Double: invoke('double', { OutputPath: '$.Payload', End: true }) },
      },
    },
  },
};

async function startUntilAcknowledged(
  client: () => SFNClient,
  stateMachineArn: string,
  name: string,
): Promise<string> {
  return waitFor(
    async () => {
      const input = JSON.stringify({ items: [1, 2, 3] });
      const { executionArn } = await client().send(
        new StartExecutionCommand({ stateMachineArn, name, input }),
      );
      return executionArn;
    },
    30_000,
    `the start of ${name}`,
  );
}

test(`random kills lose, repeat and reorder nothing (seed ${seed})`, async (context) => {
  const random = seededRandom(seed);
  const failedOnce = new Set<string>();
  const invocations = new Map<string, number>();
  const lambda = await startLambda(async (name, payload) => {
    const { execution, state, input } = payload as {
      execution: string;
      state: string;
      input: number;
    };
    const key = `${execution}/${state}/${name === 'double' ? input : ''}`;
    invocations.set(key, (invocations.get(key) ?? 0) + 1);
    await delay(20 + Math.floor(random() * 150));
    if (name === 'flaky' && !failedOnce.has(execution)) {
      failedOnce.add(execution);
      throw new Error('once');
    }
    return name === 'double' ? input * 2 : {};
  });
  const env = { LAMBDA_ENDPOINT: lambda.endpoint };
  const dataDir = temporaryFolder();
  let engine = await startEngineProcess({ dataDir, env });
  const { port, endpoint } = engine;
  let client = clientOf(endpoint);
  const { stateMachineArn = '' } = await client.send(
    new CreateStateMachineCommand({
      name: 'killed',
      roleArn: ROLE,
      definition: JSON.stringify(DEFINITION),
    }),
  );

  const acknowledged: string[] = [];
  const enough = new AbortController();
  const starting = (async () => {
    for (let index = 0; !enough.signal.aborted; index++) {
      acknowledged.push(await startUntilAcknowledged(() => client, stateMachineArn, `k-${index}`));
      await delay(40);
    }
  })();
  for (let round = 0; round < rounds; round++) {
    await delay(150 + Math.floor(random() * 900));
    await engine.kill();
    engine = await startEngineProcess({ dataDir, port, env });
    client = clientOf(endpoint);
  }
  enough.abort();
  await starting;

  context.diagnostic(`${rounds} kills, ${acknowledged.length} executions`);
  assert.ok(acknowledged.length > 5, `only ${acknowledged.length} executions were started`);
  for (const executionArn of acknowledged) {
    const { status, output } = await waitFor(
      async () => {
        const described = await client.send(new DescribeExecutionCommand({ executionArn }));
        return described.status !== 'RUNNING' && described;
      },
      60_000,
      `the end of ${executionArn}`,
    );
    assert.equal(status, 'SUCCEEDED');
    assert.deepEqual(JSON.parse(output ?? ''), [2, 4, 6]);
    const { events = [] } = await client.send(
      new GetExecutionHistoryCommand({ executionArn, maxResults: 1000 }),
    );
    assert.deepEqual(
      events.map(({ id }) => id),
      events.map((_event, index) => index + 1),
    );
    const count = (type: string): number => events.filter((event) => event.type === type).length;
    assert.equal(count('TaskStateExited'), 6, 'First, Flaky, Left and three items exit once each');
    assert.equal(count('TaskSucceeded'), 6);
    assert.ok(count('TaskFailed') <= 1, 'a kill is no failure');
  }
  for (const [key, times] of invocations) {
    // One more for the flaky one's own failure.
    const most = rounds + (key.includes('/Flaky/') ? 2 : 1);
    assert.ok(times <= most, `${key} was invoked ${times} times`);
  }
  await engine.stop();
});
