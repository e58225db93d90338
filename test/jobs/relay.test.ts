import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { CreateQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { pino } from 'pino';
import { createRelay } from '../../jobs/relay.ts';
import { claimOutbox } from '../../jobs/store/outbox.ts';
import { connectTest } from '../support/connect-test.ts';
import { seedJob, seedOutbox } from '../support/seed-job.ts';
import { startCloud } from '../support/start-cloud.ts';
import { waitFor } from '../support/wait-for.ts';

const sql = await connectTest();
const cloud = await startCloud();
after(() => cloud.stop());
const sqs = new SQSClient({
  endpoint: cloud.endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  useQueueUrlAsEndpoint: false,
});
await sqs.send(new CreateQueueCommand({ QueueName: 'relay-test' }));
/** Batches that SQS has answered. */
let sent = 0;
sqs.middlewareStack.add(
  (next, { commandName }) =>
    async (args) => {
      const answer = await next(args);
      if (commandName === 'SendMessageBatchCommand') sent += 1;
      return answer;
    },
  { step: 'initialize' },
);
const jobRequestsUrl = `${cloud.endpoint}/000000000000/relay-test`;
const relayTo = (queueUrl: string) =>
  createRelay({ sql, sqs, jobRequestsUrl: queueUrl, log: pino({ level: 'silent' }) });

async function claimedRow() {
  const job = await seedJob(sql);
  await seedOutbox(sql, job);
  const [row] = await claimOutbox(sql, 10);
  assert.ok(row);
  return row;
}
const outboxOf = async (messageId: string) => {
  const [row] = await sql<{ publishedAt: Date | null; lastError: string | null; waits: boolean }[]>`
    select published_at as "publishedAt", last_error as "lastError", next_attempt_at > now() as waits
    from outbox where message_id = ${messageId}`;
  assert.ok(row);
  return row;
};

test('a row whose turn comes after its lease is not sent: by then it is the sweep’s', async () => {
  const late = await claimedRow();
  const inTime = await claimedRow();
  const relay = relayTo(jobRequestsUrl);
  relay.publishSoon(late, 0);
  relay.publishSoon(inTime);
  await relay.drain();
  const { Messages = [] } = await waitFor(async () => {
    const answer = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl: jobRequestsUrl, MaxNumberOfMessages: 10 }),
    );
    return answer.Messages === undefined ? undefined : answer;
  }, 5_000);
  const ids = Messages.map((message) => JSON.parse(message.Body ?? '').messageId);
  assert.deepEqual(ids, [inTime.messageId]);
  assert.equal((await outboxOf(late.messageId)).publishedAt, null);
  assert.notEqual((await outboxOf(inTime.messageId)).publishedAt, null);
});

test('rows that SQS does not take keep the error and wait their backoff; nothing is thrown', async () => {
  const row = await claimedRow();
  const relay = relayTo(`${cloud.endpoint}/000000000000/no-such-queue`);
  relay.publishSoon(row);
  await relay.drain();
  const { publishedAt, lastError, waits } = await outboxOf(row.messageId);
  assert.deepEqual([publishedAt, waits], [null, true]);
  assert.match(lastError ?? '', /QueueDoesNotExist/);
});

test('no message waits for the records of those before it', async () => {
  const rows: Awaited<ReturnType<typeof claimedRow>>[] = [];
  for (let n = 0; n < 10; n += 1) rows.push(await claimedRow());
  const relay = relayTo(jobRequestsUrl);
  const [locked, sentAll] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  // Nothing can be recorded while somebody holds the rows.
  const holding = sql.begin(async (tx) => {
    for (const { messageId } of rows)
      await tx`select from outbox where message_id = ${messageId} for update`;
    locked.resolve();
    await sentAll.promise;
  });
  await locked.promise;
  const sentBefore = sent;
  try {
    for (const [index, row] of rows.entries()) {
      relay.publishSoon(row);
      await waitFor(() => sent === sentBefore + index + 1, 3_000, `message ${index + 1} in SQS`);
    }
  } finally {
    sentAll.resolve();
    await holding;
    await relay.drain();
  }
  for (const { messageId } of rows) assert.notEqual((await outboxOf(messageId)).publishedAt, null);
});

test('what two statements’ answers bring goes in full batches: 20 messages in two, not 12 as 10 and 2', async () => {
  const rows: Awaited<ReturnType<typeof claimedRow>>[] = [];
  for (let n = 0; n < 20; n += 1) rows.push(await claimedRow());
  const relay = relayTo(jobRequestsUrl);
  const sentBefore = sent;
  for (const row of rows.slice(0, 12)) relay.publishSoon(row);
  // The first answer's messages go before its turn of the event loop ends.
  await Promise.resolve();
  for (const row of rows.slice(12)) relay.publishSoon(row);
  await relay.drain();
  assert.equal(sent - sentBefore, 2);
});
