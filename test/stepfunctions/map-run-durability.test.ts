import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  CreateStateMachineCommand,
  DescribeExecutionCommand,
  DescribeMapRunCommand,
  GetExecutionHistoryCommand,
  ListMapRunsCommand,
  StartExecutionCommand,
  type DescribeExecutionCommandOutput,
  type SFNClient,
} from '@aws-sdk/client-sfn';
import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { waitFor } from '../support/wait-for.ts';
import { ROLE, temporaryFolder } from './engine-fixture.ts';
import { clientOf, startEngineProcess, startLambda } from './engine-process.ts';
import { distributedMap } from './map-run-fixture.ts';
import { startS3 } from './start-s3.ts';

async function run(client: SFNClient, definition: object): Promise<string> {
  const { stateMachineArn } = await client.send(
    new CreateStateMachineCommand({
      name: 'map',
      roleArn: ROLE,
      definition: JSON.stringify(definition),
    }),
  );
  const { executionArn } = await client.send(new StartExecutionCommand({ stateMachineArn }));
  return executionArn ?? '';
}

function ended(
  client: SFNClient,
  executionArn: string,
  timeoutMs: number,
): Promise<DescribeExecutionCommandOutput> {
  return waitFor(
    async () => {
      const described = await client.send(new DescribeExecutionCommand({ executionArn }));
      return described.status !== 'RUNNING' && described;
    },
    timeoutMs,
    'the end of the Map',
  );
}

test('kill -9 in the middle of 2,000 items repeats no finished child and loses none', async () => {
  const ITEMS = 2_000;
  const CONCURRENCY = 20;
  const KILLS = 3;
  const calls = new Map<number, number>();
  let answered = 0;
  const lambda = await startLambda(async (_name, payload) => {
    const item = payload as number;
    calls.set(item, (calls.get(item) ?? 0) + 1);
    answered++;
    return item;
  });
  const dataDir = join(temporaryFolder(), 'data');
  const start = (): ReturnType<typeof startEngineProcess> =>
    startEngineProcess({ dataDir, env: { LAMBDA_ENDPOINT: lambda.endpoint } });
  let engine = await start();
  const definition = {
    QueryLanguage: 'JSONata',
    ...distributedMap(
      {
        Work: {
          Type: 'Task',
          Resource: 'arn:aws:lambda:us-east-1:000000000000:function:work',
          End: true,
        },
      },
      { Items: `{% [1..${ITEMS}] %}`, MaxConcurrency: CONCURRENCY },
    ),
  };
  const executionArn = await run(clientOf(engine.endpoint), definition);
  for (let kill = 1; kill <= KILLS; kill++) {
    await waitFor(() => answered >= (ITEMS * kill) / (KILLS + 1), 30_000);
    await engine.kill();
    engine = await start();
  }
  const client = clientOf(engine.endpoint);
  const { status, output } = await ended(client, executionArn, 60_000);
  assert.equal(status, 'SUCCEEDED');
  assert.deepEqual(
    JSON.parse(output ?? ''),
    Array.from({ length: ITEMS }, (_, index) => index + 1),
  );
  const repeated = [...calls.values()].filter((times) => times > 1).length;
  assert.ok(
    repeated <= KILLS * CONCURRENCY,
    `${repeated} items were worked on again: only those in flight at a kill may be`,
  );
  const { mapRuns } = await client.send(new ListMapRunsCommand({ executionArn }));
  assert.equal(mapRuns?.length, 1);
  const described = await client.send(
    new DescribeMapRunCommand({ mapRunArn: mapRuns?.[0]?.mapRunArn }),
  );
  assert.equal(described.executionCounts?.total, ITEMS);
  assert.equal(described.executionCounts?.succeeded, ITEMS);
  await engine.stop();
});

/** 100,000 with PAWL_MAP_ITEMS=100000; it takes about a minute then. */
const MANY = Number(process.env['PAWL_MAP_ITEMS'] ?? 20_000);

test(`${MANY} items run in bounded memory, and the parent's history stays short`, async (context) => {
  const { endpoint, s3, close } = await startS3(join(temporaryFolder(), 's3'));
  const line = (index: number): string => JSON.stringify({ index, text: 'x'.repeat(200) });
  await s3.send(new CreateBucketCommand({ Bucket: 'many' }));
  await s3.send(
    new PutObjectCommand({
      Bucket: 'many',
      Key: 'items.json',
      Body: `[${Array.from({ length: MANY }, (_, index) => line(index)).join(',')}]`,
    }),
  );
  const engine = await startEngineProcess({
    dataDir: join(temporaryFolder(), 'data'),
    env: { NODE_OPTIONS: '--max-old-space-size=160', AWS_ENDPOINT_URL_S3: endpoint },
  });
  const client = clientOf(engine.endpoint);
  const definition = distributedMap(
    { Pass: { Type: 'Pass', Result: 1, End: true } },
    {
      ItemReader: {
        Resource: 'arn:aws:states:::s3:getObject',
        ReaderConfig: { InputType: 'JSON' },
        Parameters: { Bucket: 'many', Key: 'items.json' },
      },
    },
  );
  const begun = performance.now();
  const executionArn = await run(client, definition);
  const { status, cause } = await ended(client, executionArn, 300_000);
  assert.equal(status, 'SUCCEEDED', cause);
  const seconds = (performance.now() - begun) / 1000;
  const { events = [] } = await client.send(new GetExecutionHistoryCommand({ executionArn }));
  assert.equal(events.length, 8);
  const peakMiB =
    Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${engine.pid}/status`, 'utf8'))?.[1]) /
    1024;
  context.diagnostic(
    `${MANY} items in ${seconds.toFixed(1)} s, ${peakMiB.toFixed(0)} MiB at the most`,
  );
  assert.ok(peakMiB < 500, `${peakMiB} MiB`);
  await engine.stop();
  await close();
});
