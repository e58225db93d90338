import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import * as events from '@aws-sdk/client-eventbridge';
import * as sns from '@aws-sdk/client-sns';
import * as sqs from '@aws-sdk/client-sqs';
import { openArchives } from '../../../local/cloud/eventbridge/archive-store.ts';
import { startCloud } from '../../support/start-cloud.ts';
import { waitFor } from '../../support/wait-for.ts';

const cloud = await startCloud();
const account = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
};
const bridge = new events.EventBridgeClient({ ...account, endpoint: cloud.eventBridgeEndpoint });
const topics = new sns.SNSClient({ ...account, endpoint: cloud.endpoint });
const queues = new sqs.SQSClient({
  ...account,
  endpoint: cloud.endpoint,
  useQueueUrlAsEndpoint: false,
});
after(async () => {
  for (const client of [bridge, topics, queues]) client.destroy();
  await cloud.stop();
});

const arn = (service: string, resource: string): string =>
  `arn:aws:${service}:us-east-1:000000000000:${resource}`;
const busArn = arn('events', 'event-bus/default');
const minute = (at: number): Date => new Date(Date.UTC(2026, 2, 4, 5, at));

async function makeQueue(name: string): Promise<string> {
  await queues.send(new sqs.CreateQueueCommand({ QueueName: name }));
  return `${cloud.endpoint}/000000000000/${name}`;
}

async function ruleTo(rule: string, target: string, source: string): Promise<void> {
  const EventPattern = JSON.stringify({ source: [source] });
  await bridge.send(new events.PutRuleCommand({ Name: rule, EventPattern }));
  const Targets = [{ Id: 'target', Arn: target }];
  await bridge.send(new events.PutTargetsCommand({ Rule: rule, Targets }));
}

const put = async (source: string, ...minutes: number[]): Promise<void> => {
  await bridge.send(
    new events.PutEventsCommand({
      Entries: minutes.map((at) => ({
        Source: source,
        DetailType: 'Order',
        Detail: JSON.stringify({ at }),
        Time: minute(at),
      })),
    }),
  );
};

type Received = { readonly detail: { readonly at: number }; readonly 'replay-name'?: string };

/** Everything in the queue; it is empty afterwards. */
async function drain(queueUrl: string): Promise<Received[]> {
  const found: Received[] = [];
  for (;;) {
    const { Messages = [] } = await queues.send(
      new sqs.ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10 }),
    );
    if (Messages.length === 0) return found;
    found.push(...Messages.map(({ Body = '' }): Received => JSON.parse(Body)));
    for (const { ReceiptHandle } of Messages)
      await queues.send(new sqs.DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle }));
  }
}

const replay = async (
  name: string,
  archive: string,
  rules: readonly string[],
  [from, to]: readonly [number, number],
): Promise<void> => {
  await bridge.send(
    new events.StartReplayCommand({
      ReplayName: name,
      EventSourceArn: arn('events', `archive/${archive}`),
      EventStartTime: minute(from),
      EventEndTime: minute(to),
      Destination: {
        Arn: busArn,
        FilterArns: rules.map((rule) => arn('events', `rule/${rule}`)),
      },
    }),
  );
};

const completed = async (name: string): Promise<events.DescribeReplayCommandOutput> =>
  await waitFor(
    async () => {
      const found = await bridge.send(new events.DescribeReplayCommand({ ReplayName: name }));
      return found.State === 'COMPLETED' ? found : undefined;
    },
    30_000,
    `the replay ${name}`,
  );

test('a replay brings the events of a time range to the named rules, marked with its name, across a kill -9', async () => {
  const meant = await makeQueue('meant');
  const other = await makeQueue('other');
  await ruleTo('meant', arn('sqs', 'meant'), 'shop');
  await ruleTo('other', arn('sqs', 'other'), 'shop');
  await bridge.send(
    new events.CreateArchiveCommand({
      ArchiveName: 'shop',
      EventSourceArn: busArn,
      EventPattern: JSON.stringify({ source: ['shop'] }),
      RetentionDays: 30,
    }),
  );
  await put('shop', 3, 1, 2, 4);
  await put('elsewhere', 2);
  assert.equal((await drain(meant)).length, 4);
  assert.equal((await drain(other)).length, 4);
  await cloud.killAndRestart();

  await replay('after-the-fire', 'shop', ['meant'], [1, 4]);
  const done = await completed('after-the-fire');
  assert.deepEqual(done.EventLastReplayedTime, minute(3));
  assert.deepEqual(
    (await drain(meant)).map((event) => [event.detail.at, event['replay-name']]),
    [1, 2, 3].map((at) => [at, 'after-the-fire']),
  );
  assert.deepEqual(await drain(other), []);
  const archive = await bridge.send(new events.DescribeArchiveCommand({ ArchiveName: 'shop' }));
  assert.equal(archive.EventCount, 4, 'what is replayed is not archived again');
  assert.equal(archive.RetentionDays, 30);
});

test('a replay that a kill -9 cut off goes on and misses no event', async () => {
  const url = await makeQueue('many');
  await ruleTo('many', arn('sqs', 'many'), 'many');
  await bridge.send(
    new events.CreateArchiveCommand({ ArchiveName: 'many', EventSourceArn: busArn }),
  );
  for (let at = 0; at < 300; at += 10)
    await put('many', ...Array.from({ length: 10 }, (_, index) => at + index));
  assert.equal((await drain(url)).length, 300);
  await replay('cut-off', 'many', ['many'], [0, 300]);
  await cloud.killAndRestart();
  await completed('cut-off');
  const seen = new Set((await drain(url)).map(({ detail }) => detail.at));
  assert.equal(seen.size, 300);
});

test('what is wrong with a replay is refused with AWS’s own errors', async () => {
  await assert.rejects(
    replay('after-the-fire', 'shop', ['meant'], [1, 2]),
    events.ResourceAlreadyExistsException,
  );
  await assert.rejects(
    replay('no-rule', 'shop', ['nobody'], [1, 2]),
    events.ResourceNotFoundException,
  );
  await assert.rejects(
    replay('no-archive', 'none', ['meant'], [1, 2]),
    events.ResourceNotFoundException,
  );
  await assert.rejects(replay('backwards', 'shop', ['meant'], [2, 1]), {
    name: 'ValidationException',
  });
  const { Replays = [] } = await bridge.send(
    new events.ListReplaysCommand({ NamePrefix: 'after' }),
  );
  assert.deepEqual(
    Replays.map(({ ReplayName, State }) => [ReplayName, State]),
    [['after-the-fire', 'COMPLETED']],
  );
});

test('an archive forgets events past its retention, and only those', () => {
  const dir = mkdtempSync(join(tmpdir(), 'pawl-archive-'));
  const store = openArchives(join(dir, 'archives.sqlite'));
  try {
    const day = 86_400_000;
    const archive = { sourceArn: busArn, createdAtMs: 0 };
    store.put({ ...archive, name: 'week', retentionDays: 7 });
    store.put({ ...archive, name: 'ever', retentionDays: 0 });
    for (const at of [1, 2, 10]) store.keep({ source: 'shop' }, at * day, at * day);
    store.removeOld(9 * day + 1);
    assert.equal(store.sizeOf('week').events, 1);
    assert.equal(store.sizeOf('ever').events, 3);
  } finally {
    store.close();
    rmSync(dir, { recursive: true, force: true });
  }
});

test('a rule with a topic as its target reaches the topic’s queues as the event itself', async () => {
  const url = await makeQueue('subscribed');
  await topics.send(new sns.CreateTopicCommand({ Name: 'news' }));
  await topics.send(
    new sns.SubscribeCommand({
      TopicArn: arn('sns', 'news'),
      Protocol: 'sqs',
      Endpoint: arn('sqs', 'subscribed'),
      Attributes: { RawMessageDelivery: 'true' },
    }),
  );
  await ruleTo('news', arn('sns', 'news'), 'news');
  await put('news', 7);
  await cloud.killAndRestart();
  assert.deepEqual(
    (await drain(url)).map(({ detail }) => detail.at),
    [7],
  );
});
