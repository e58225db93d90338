import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import * as sqs from '@aws-sdk/client-sqs';
import { startCloud } from '../../support/start-cloud.ts';
import { waitFor } from '../../support/wait-for.ts';

const cloud = await startCloud();
const account = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  useQueueUrlAsEndpoint: false,
};
const queues = new sqs.SQSClient({ ...account, endpoint: cloud.endpoint });
after(async () => {
  queues.destroy();
  await cloud.stop();
});

async function makeQueue(name: string): Promise<string> {
  await queues.send(new sqs.CreateQueueCommand({ QueueName: name }));
  return `${cloud.endpoint}/000000000000/${name}`;
}

const send = (QueueUrl: string, MessageBody: string): Promise<unknown> =>
  queues.send(new sqs.SendMessageCommand({ QueueUrl, MessageBody }));

async function receive(
  QueueUrl: string,
  abortSignal?: AbortSignal,
): Promise<sqs.Message | undefined> {
  const command = new sqs.ReceiveMessageCommand({
    QueueUrl,
    WaitTimeSeconds: 20,
    MessageSystemAttributeNames: ['ApproximateReceiveCount'],
  });
  const answer = await queues.send(command, abortSignal ? { abortSignal } : {});
  return answer.Messages?.[0];
}

test('a message taken for a client that went away is there at once, its receive not counted', async () => {
  const queue = await makeQueue('abandoned');
  // The poll is aborted at several ages, so that some were surely registered before.
  for (const ageMs of [0, 5, 50]) {
    const abort = new AbortController();
    const aborted = assert.rejects(receive(queue, abort.signal), { name: 'AbortError' });
    const startedAt = performance.now();
    await waitFor(() => performance.now() - startedAt >= ageMs, 1_000);
    abort.abort();
    await aborted;
  }
  await send(queue, 'still here');
  const message = await receive(queue, AbortSignal.timeout(5_000));
  assert.equal(message?.Body, 'still here');
  assert.equal(message?.Attributes?.['ApproximateReceiveCount'], '1');
});

test('a message given back with visibility 0 is received again, also after kill -9', async () => {
  const queue = await makeQueue('given-back');
  await send(queue, 'again');
  for (const count of ['1', '2']) {
    const message = await receive(queue, AbortSignal.timeout(5_000));
    assert.equal(message?.Attributes?.['ApproximateReceiveCount'], count);
    await queues.send(
      new sqs.ChangeMessageVisibilityCommand({
        QueueUrl: queue,
        ReceiptHandle: message?.ReceiptHandle,
        VisibilityTimeout: 0,
      }),
    );
  }
  await cloud.killAndRestart();
  const message = await receive(queue, AbortSignal.timeout(5_000));
  assert.equal(message?.Body, 'again');
  assert.equal(message?.Attributes?.['ApproximateReceiveCount'], '3');
});

test('with a longest visibility a message comes back after that time, unless it is prolonged', async () => {
  const hurried = await startCloud({ CLOUD_LONGEST_VISIBILITY_SECONDS: '1' });
  const client = new sqs.SQSClient({ ...account, endpoint: hurried.endpoint });
  try {
    await client.send(new sqs.CreateQueueCommand({ QueueName: 'hurried' }));
    const QueueUrl = `${hurried.endpoint}/000000000000/hurried`;
    await client.send(new sqs.SendMessageCommand({ QueueUrl, MessageBody: 'back soon' }));
    const take = async (WaitTimeSeconds: number): Promise<sqs.Message | undefined> => {
      const asked = { QueueUrl, VisibilityTimeout: 600, WaitTimeSeconds };
      return (await client.send(new sqs.ReceiveMessageCommand(asked))).Messages?.[0];
    };
    assert.equal((await take(0))?.Body, 'back soon');
    const again = await take(10);
    assert.equal(again?.Body, 'back soon');
    await client.send(
      new sqs.ChangeMessageVisibilityCommand({
        QueueUrl,
        ReceiptHandle: again.ReceiptHandle,
        VisibilityTimeout: 600,
      }),
    );
    assert.equal(await take(2), undefined);
  } finally {
    client.destroy();
    await hurried.stop();
  }
});

test('a message wakes one of those who wait for it; the others go on waiting', async () => {
  const queue = await makeQueue('many-pollers');
  const answered: (string | undefined)[] = [];
  const poll = async (): Promise<void> => {
    answered.push((await receive(queue))?.Body);
  };
  const polls = [poll(), poll(), poll()];
  for (const [index, body] of ['first', 'second', 'third'].entries()) {
    await send(queue, body);
    await waitFor(() => answered.length > index, 5_000, `an answer to ${body}`);
    // A poller that was woken for nothing would have been answered by the same commit.
    await send(await makeQueue('aside'), 'another commit');
    assert.deepEqual(answered, ['first', 'second', 'third'].slice(0, index + 1));
  }
  await Promise.all(polls);
});

test('messages that come together reach as many pollers as it takes, none is left lying', async () => {
  const queue = await makeQueue('one-each');
  const polls = [receive(queue), receive(queue), receive(queue)];
  const Entries = ['a', 'b', 'c'].map((Id) => ({ Id, MessageBody: Id }));
  await queues.send(new sqs.SendMessageBatchCommand({ QueueUrl: queue, Entries }));
  const bodies = (await Promise.all(polls)).map((message) => message?.Body);
  assert.deepEqual(new Set(bodies), new Set(['a', 'b', 'c']));
});

test('messages have ids in the order in which they came, for they are kept by them', async () => {
  const queue = await makeQueue('in-order');
  const ids: string[] = [];
  for (let n = 0; n < 20; n += 1) {
    const sent = await queues.send(
      new sqs.SendMessageCommand({ QueueUrl: queue, MessageBody: String(n) }),
    );
    ids.push(sent.MessageId ?? '');
  }
  assert.match(ids[0] ?? '', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  assert.deepEqual(ids, ids.toSorted());
});
