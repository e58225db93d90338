import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { putEventsTo } from '../../local/stepfunctions/events/put-events.ts';
import { waitFor } from '../support/wait-for.ts';
import { fail, startFixture, succeed, task, temporaryFolder } from './engine-fixture.ts';
import { clientOf, startEngineProcess } from './engine-process.ts';
import { CreateStateMachineCommand, StartExecutionCommand } from '@aws-sdk/client-sfn';

type Entry = { Source: string; DetailType: string; Resources: string[]; Detail: string };
type Detail = Record<string, unknown>;

/** An EventBridge that notes what it is given, and can be down. */
async function startEventBridge(): Promise<{
  endpoint: string;
  entries: Entry[];
  targets: Set<string>;
  setDown(down: boolean): void;
  largestRequestBytes(): number;
}> {
  const entries: Entry[] = [];
  const targets = new Set<string>();
  let isDown = false;
  let largest = 0;
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (isDown) return void response.writeHead(503).end('{}');
      largest = Math.max(largest, Buffer.concat(chunks).length);
      targets.add(String(request.headers['x-amz-target']));
      const body = JSON.parse(Buffer.concat(chunks).toString()) as { Entries: Entry[] };
      entries.push(...body.Entries);
      const answer = { FailedEntryCount: 0, Entries: body.Entries.map(() => ({ EventId: 'e' })) };
      response.writeHead(200, { 'Content-Type': 'application/x-amz-json-1.1' });
      response.end(JSON.stringify(answer));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    entries,
    targets,
    setDown: (down) => void (isDown = down),
    largestRequestBytes: () => largest,
  };
}

const detailsOf = (entries: Entry[]): Detail[] =>
  entries.map(({ Detail: text }) => JSON.parse(text) as Detail);

test('each change of status is an event with every member, missing values as nulls', async () => {
  const bus = await startEventBridge();
  let isDown = true;
  const fixture = await startFixture(
    () => (isDown ? fail('Down', 'no answer') : succeed({ ok: 1 })),
    {
      putEvents: putEventsTo(bus.endpoint),
    },
  );
  const executionArn = await fixture.run(
    { StartAt: 'Only', States: { Only: task('f') } },
    { a: 1 },
  );
  await fixture.ended(executionArn);
  isDown = false;
  fixture.clock.advance(5000);
  await fixture.call('RedriveExecution', { executionArn });
  await fixture.ended(executionArn);
  await waitFor(() => bus.entries.length === 4, 5000);
  assert.deepEqual([...bus.targets], ['AWSEvents.PutEvents']);
  const [entry] = bus.entries;
  assert.equal(entry?.Source, 'aws.states');
  assert.equal(entry?.DetailType, 'Step Functions Execution Status Change');
  assert.deepEqual(entry?.Resources, [executionArn]);
  const details = detailsOf(bus.entries);
  assert.deepEqual(
    details.map(({ status, redriveCount, redriveStatus }) => [status, redriveCount, redriveStatus]),
    [
      ['RUNNING', 0, 'NOT_REDRIVABLE'],
      ['FAILED', 0, 'REDRIVABLE'],
      ['RUNNING', 1, 'REDRIVE_IN_PROGRESS'],
      ['SUCCEEDED', 1, 'NOT_REDRIVABLE'],
    ],
  );
  const startDate = Date.UTC(2026, 0, 1);
  assert.deepEqual(details[1], {
    executionArn,
    stateMachineArn: executionArn.replace(':execution:', ':stateMachine:').replace(/:[^:]+$/, ''),
    name: executionArn.split(':').at(-1),
    status: 'FAILED',
    startDate,
    stopDate: startDate,
    input: '{"a":1}',
    inputDetails: { included: true },
    output: null,
    outputDetails: null,
    stateMachineVersionArn: null,
    stateMachineAliasArn: null,
    redriveCount: 0,
    redriveDate: null,
    redriveStatus: 'REDRIVABLE',
    redriveStatusReason: 'Execution is FAILED and is redrivable',
    error: 'Down',
    cause: 'no answer',
  });
  fixture.stop();
});

test('data of more than 248 KiB is left out of the event, and says so', async () => {
  const bus = await startEventBridge();
  const fixture = await startFixture(() => succeed(), { putEvents: putEventsTo(bus.endpoint) });
  const executionArn = await fixture.run(
    { StartAt: 'Only', States: { Only: { Type: 'Pass', End: true } } },
    'x'.repeat(150_000),
  );
  await fixture.ended(executionArn);
  await waitFor(() => bus.entries.length === 2, 5000);
  const { input, inputDetails, output, outputDetails } = detailsOf(bus.entries)[1] ?? {};
  assert.equal(input, null);
  assert.deepEqual(inputDetails, { included: false });
  assert.equal(typeof output, 'string');
  assert.deepEqual(outputDetails, { included: true });
  fixture.stop();
});

test('many large events go in requests of at most a megabyte', async () => {
  const bus = await startEventBridge();
  bus.setDown(true);
  const fixture = await startFixture(() => succeed(), { putEvents: putEventsTo(bus.endpoint) });
  const stateMachineArn = await fixture.create({
    StartAt: 'Only',
    States: { Only: { Type: 'Succeed' } },
  });
  for (let index = 0; index < 6; index++) {
    await fixture.ended(await fixture.start(stateMachineArn, 'x'.repeat(120_000)));
  }
  bus.setDown(false);
  await waitFor(() => bus.entries.length === 12, 10_000);
  assert.ok(bus.largestRequestBytes() < 1_048_576);
  fixture.stop();
});

test('no event is lost when EventBridge is down and the engine is killed', async () => {
  const bus = await startEventBridge();
  bus.setDown(true);
  const dataDir = temporaryFolder();
  const env = { AWS_ENDPOINT_URL_EVENTBRIDGE: bus.endpoint };
  const first = await startEngineProcess({ dataDir, env });
  const client = clientOf(first.endpoint);
  const { stateMachineArn } = await client.send(
    new CreateStateMachineCommand({
      name: 'm',
      roleArn: 'arn:aws:iam::000000000000:role/r',
      definition: JSON.stringify({ StartAt: 'A', States: { A: { Type: 'Succeed' } } }),
    }),
  );
  const { executionArn } = await client.send(new StartExecutionCommand({ stateMachineArn }));
  await first.kill();
  assert.equal(bus.entries.length, 0);
  bus.setDown(false);
  const second = await startEngineProcess({ dataDir, env });
  await waitFor(() => bus.entries.length >= 2, 10_000);
  const seen = detailsOf(bus.entries).map((detail) => [detail['executionArn'], detail['status']]);
  assert.deepEqual(seen, [
    [executionArn, 'RUNNING'],
    [executionArn, 'SUCCEEDED'],
  ]);
  await second.stop();
});
