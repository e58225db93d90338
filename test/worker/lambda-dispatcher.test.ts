// The dispatcher as a Lambda function: real SQS events through the Lambda host, while the worker receives no requests.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ListExecutionsCommand, SFNClient } from '@aws-sdk/client-sfn';
import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { pino } from 'pino';
import postgres from 'postgres';
import { createSharedStatements } from '../../jobs/dispatch/shared-statements.ts';
import { createExecutions } from '../../jobs/executions.ts';
import { connect } from '../../jobs/store/connect.ts';
import { functionsOf } from '../../local/lambda/functions.ts';
import { loadJobTypes } from '../../statemachines/registry.ts';
import { type BatchResponse, dispatchBatch } from '../../worker/lambda-dispatcher.ts';
import { startPawl } from '../support/start-pawl.ts';
import { waitFor } from '../support/wait-for.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const types = here('../infra/job-types');
const registry = await loadJobTypes([types]);
const folder = mkdtempSync(join(tmpdir(), 'pawl-dispatcher-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const functionsFile = join(folder, 'functions.json');
writeFileSync(
  functionsFile,
  JSON.stringify([
    ...functionsOf(registry).values(),
    {
      name: 'pawl-dispatch',
      file: here('../../worker/lambda-dispatcher.ts'),
      timeoutSeconds: 30,
      memoryMb: 512,
    },
  ]),
);
const pawl = await startPawl({
  env: {
    JOB_TYPE_DIRS: types,
    LAMBDA_FUNCTIONS_FILE: functionsFile,
    DISPATCH_CONCURRENCY: '0',
    JOB_TYPE_TIMEOUTS: [...registry.values()]
      .map(({ type, timeoutSeconds }) => `${type}=${timeoutSeconds}`)
      .join(','),
  },
});
after(() => pawl.stop());
const runtime = pawl.runtime();
const account = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
};
const sqs = new SQSClient({
  ...account,
  endpoint: runtime.endpoints.sqs,
  useQueueUrlAsEndpoint: false,
});
after(() => sqs.destroy());
const QueueUrl = runtime.queues.jobRequests;

/** What the event source mapping hands over for a message. */
const toRecord = (message: Message) => ({
  messageId: message.MessageId ?? '',
  receiptHandle: message.ReceiptHandle ?? '',
  body: message.Body ?? '',
  attributes: message.Attributes ?? {},
  messageAttributes: Object.fromEntries(
    Object.entries(message.MessageAttributes ?? {}).map(([name, { DataType, StringValue }]) => [
      name,
      { dataType: DataType ?? 'String', stringValue: StringValue },
    ]),
  ),
  eventSource: 'aws:sqs',
});

/** One turn of the event source: receives, invokes, deletes what did not fail. Gives the messages of the batch. */
async function turn(): Promise<Message[]> {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl,
      MaxNumberOfMessages: 10,
      WaitTimeSeconds: 1,
      MessageAttributeNames: ['All'],
      MessageSystemAttributeNames: ['All'],
    }),
  );
  if (Messages.length === 0) return [];
  const response = await invoke({ Records: Messages.map(toRecord) });
  const failed = response.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  for (const { MessageId = '', ReceiptHandle } of Messages) {
    if (!failed.includes(MessageId))
      await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
  }
  return Messages;
}

async function invoke(event: unknown): Promise<BatchResponse> {
  const response = await fetch(
    `${runtime.endpoints.lambda}/2015-03-31/functions/pawl-dispatch/invocations`,
    { method: 'POST', body: JSON.stringify(event) },
  );
  assert.equal(response.headers.get('x-amz-function-error'), null);
  return (await response.json()) as BatchResponse;
}

async function call(
  method: string,
  path: string,
  body?: unknown,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${runtime.api}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${runtime.keys.operator}`,
      'content-type': 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as Record<string, unknown>;
  assert.ok(response.ok, JSON.stringify(answer));
  return answer;
}

const submit = async (): Promise<string> => {
  const response = await fetch(`${runtime.api}/jobs`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${runtime.keys.client}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ type: 'hello', input: { name: 'Ayu' } }),
  });
  const { jobId } = (await response.json()) as { jobId: string };
  return jobId;
};

/** Turns until the batch came that holds the job's request; gives its message. */
async function turnUntilSeen(jobId: string): Promise<Message> {
  let seen: Message | undefined;
  await waitFor(
    async () => {
      seen = (await turn()).find(({ Body }) => Body?.includes(jobId));
      return seen !== undefined;
    },
    20_000,
    'the job request',
  );
  return seen ?? {};
}

const isSucceeded = (jobId: string) => async (): Promise<boolean> =>
  (await call('GET', `/jobs/${jobId}`))['status'] === 'SUCCEEDED';

test('a job is started by the function; its message delivered again starts nothing', async () => {
  const jobId = await submit();
  const message = await turnUntilSeen(jobId);
  await waitFor(isSucceeded(jobId), 20_000, 'the job to be done');
  assert.deepEqual(await invoke({ Records: [toRecord(message)] }), { batchItemFailures: [] });
  const sfn = new SFNClient({ ...account, endpoint: runtime.endpoints.sfn });
  const { executions = [] } = await sfn.send(
    new ListExecutionsCommand({
      stateMachineArn: 'arn:aws:states:us-east-1:000000000000:stateMachine:pawl-hello',
    }),
  );
  sfn.destroy();
  assert.equal(executions.filter(({ name }) => name === jobId).length, 1);
});

test('a message that nobody can work on is quarantined; the others of its batch go on', async () => {
  const broken = await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: '{"no' }));
  const jobId = await submit();
  await waitFor(
    async () => {
      await turn();
      return await isSucceeded(jobId)();
    },
    20_000,
    'the other job to be done',
  );
  const sql = postgres(runtime.databaseUrl, { max: 1, fetch_types: false });
  const [kept] = await sql`
    select reason from quarantined_messages where sqs_message_id = ${broken.MessageId ?? ''}`;
  await sql.end();
  assert.ok(kept !== undefined);
});

function deadDatabase() {
  const sql = connect(
    {
      url: 'postgres://nobody@127.0.0.1:9/none',
      poolSize: 1,
      statementTimeoutMs: 2_000,
      lockTimeoutMs: 1_000,
    },
    'test',
  );
  return {
    sql,
    log: pino({ level: 'silent' }),
    executions: createExecutions(
      new SFNClient(account),
      'arn:aws:states:us-east-1:0:stateMachine:',
    ),
    timeoutSecondsOf: () => 300,
    ...createSharedStatements(sql),
    takeStartToken: async () => undefined,
    publishSoon: () => undefined,
    random: Math.random,
  };
}

const request = {
  messageId: 'm-1',
  receiptHandle: 'of-another-queue',
  body: '',
  attributes: { ApproximateReceiveCount: '1' },
  messageAttributes: { traceparent: { dataType: 'String', stringValue: '00-1-1-01' } },
};

test('in an outage a copy takes the message’s place, so that no receive is counted', async () => {
  const dispatchDeps = deadDatabase();
  const jobId = await submit();
  const { Body = '' } = await turnUntilSeen(jobId);
  const deps = {
    dispatchDeps,
    sqs,
    queueUrl: QueueUrl,
    drain: async () => undefined,
    log: dispatchDeps.log,
  };
  const response = await dispatchBatch(deps, { Records: [{ ...request, body: Body }] });
  assert.deepEqual(response, { batchItemFailures: [] });
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
  );
  assert.equal(Attributes?.['ApproximateNumberOfMessagesDelayed'], '1');
  await dispatchDeps.sql.end();
});

test('where the copy is not taken either, the message is named as a failure', async () => {
  const dispatchDeps = deadDatabase();
  const jobId = await submit();
  const { Body = '' } = await turnUntilSeen(jobId);
  const nowhere = new SQSClient({ ...account, endpoint: 'http://127.0.0.1:9', maxAttempts: 1 });
  const deps = {
    dispatchDeps,
    sqs: nowhere,
    queueUrl: QueueUrl,
    drain: async () => undefined,
    log: dispatchDeps.log,
  };
  const response = await dispatchBatch(deps, { Records: [{ ...request, body: Body }] });
  assert.deepEqual(response, { batchItemFailures: [{ itemIdentifier: 'm-1' }] });
  nowhere.destroy();
  await dispatchDeps.sql.end();
});
