// What the dispatcher does in an outage as a function, which cannot stop its event source as the worker's circuit does.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { SFNClient } from '@aws-sdk/client-sfn';
import { GetQueueAttributesCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { pino } from 'pino';
import { v7 } from 'uuid';
import { createSharedStatements } from '../../jobs/dispatch/shared-statements.ts';
import { newEnvelope } from '../../jobs/envelope.ts';
import { createExecutions } from '../../jobs/executions.ts';
import { connect } from '../../jobs/store/connect.ts';
import { dispatchBatch } from '../../worker/lambda-dispatcher.ts';
import { toRecord } from './event-source.ts';
import { account, startQueues } from './queues.ts';

const queues = await startQueues();
const { url: queueUrl } = await queues.create('job-requests');
const log = pino({ level: 'silent' });
const sql = connect(
  {
    url: 'postgres://nobody@127.0.0.1:9/none',
    poolSize: 1,
    statementTimeoutMs: 2_000,
    lockTimeoutMs: 1_000,
  },
  'test',
);
after(() => sql.end({ timeout: 1 }));

/** Its database is away. */
const deps = (sqs: SQSClient) => ({
  dispatchDeps: {
    ...createSharedStatements(sql),
    log,
    sql,
    executions: createExecutions(
      new SFNClient(account),
      'arn:aws:states:us-east-1:0:stateMachine:',
    ),
    timeoutSecondsOf: () => 300,
    takeStartToken: async () => undefined,
    publishSoon: () => undefined,
    random: Math.random,
  },
  sqs,
  queueUrl,
  drain: async () => undefined,
  log,
});

/** Of a job request that was received from the queue. */
async function receivedRecord() {
  const jobId = v7();
  const envelope = newEnvelope({
    messageType: 'JobRequested',
    payload: {
      jobId,
      tenantId: 'acme',
      type: 'gate',
      run: 1,
      executionName: jobId,
      redriveCount: 0,
    },
    idempotencyKey: `start:${jobId}:1`,
    producer: 'api',
    correlationId: 'test',
    occurredAt: new Date(),
  });
  await queues.send(queueUrl, [JSON.stringify(envelope)]);
  const { Messages = [] } = await queues.sqs.send(
    new ReceiveMessageCommand({ QueueUrl: queueUrl, MessageSystemAttributeNames: ['All'] }),
  );
  const [message] = Messages;
  assert.ok(message !== undefined);
  return toRecord(message);
}

test('in an outage a copy takes the message’s place, so that no receive is counted', async () => {
  const record = await receivedRecord();
  assert.deepEqual(await dispatchBatch(deps(queues.sqs), { Records: [record] }), {
    batchItemFailures: [],
  });
  const { Attributes } = await queues.sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['All'] }),
  );
  assert.equal(Attributes?.['ApproximateNumberOfMessagesDelayed'], '1');
});

test('where the copy is not taken either, the message is named as a failure', async () => {
  const record = await receivedRecord();
  const nowhere = new SQSClient({ ...account, endpoint: 'http://127.0.0.1:9', maxAttempts: 1 });
  after(() => nowhere.destroy());
  assert.deepEqual(await dispatchBatch(deps(nowhere), { Records: [record] }), {
    batchItemFailures: [{ itemIdentifier: record.messageId }],
  });
});

test('what is no batch of messages is an error, so that Lambda gives all of it back', async () => {
  await assert.rejects(dispatchBatch(deps(queues.sqs), { Records: [{}] }), /no batch of SQS/);
});
