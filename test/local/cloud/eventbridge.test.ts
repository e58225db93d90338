import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import * as events from '@aws-sdk/client-eventbridge';
import * as sqs from '@aws-sdk/client-sqs';
import { startCloud } from '../../support/start-cloud.ts';

const cloud = await startCloud();
const account = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
};
const bridge = new events.EventBridgeClient({ ...account, endpoint: cloud.eventBridgeEndpoint });
const queues = new sqs.SQSClient({
  ...account,
  endpoint: cloud.endpoint,
  useQueueUrlAsEndpoint: false,
});
after(async () => {
  bridge.destroy();
  queues.destroy();
  await cloud.stop();
});

async function makeQueue(name: string): Promise<{ url: string; arn: string }> {
  await queues.send(new sqs.CreateQueueCommand({ QueueName: name }));
  return {
    url: `${cloud.endpoint}/000000000000/${name}`,
    arn: `arn:aws:sqs:us-east-1:000000000000:${name}`,
  };
}

async function ruleToQueue(name: string, pattern: object): Promise<{ url: string; arn: string }> {
  const queue = await makeQueue(name);
  await bridge.send(
    new events.PutRuleCommand({ Name: name, EventPattern: JSON.stringify(pattern) }),
  );
  await bridge.send(
    new events.PutTargetsCommand({ Rule: name, Targets: [{ Id: 'queue', Arn: queue.arn }] }),
  );
  return queue;
}

async function receive(queueUrl: string, seconds = 0): Promise<sqs.Message[]> {
  const command = new sqs.ReceiveMessageCommand({
    QueueUrl: queueUrl,
    MaxNumberOfMessages: 10,
    WaitTimeSeconds: seconds,
  });
  return (await queues.send(command)).Messages ?? [];
}

test('an event arrives in the queue of a matching rule as EventBridge delivers it', async () => {
  const queue = await ruleToQueue('status', { source: ['shop'], detail: { status: ['PAID'] } });
  const other = await ruleToQueue('other', { source: ['shop'], detail: { status: ['SHIPPED'] } });
  const time = new Date('2026-03-04T05:06:07.890Z');
  const answer = await bridge.send(
    new events.PutEventsCommand({
      Entries: [
        {
          Source: 'shop',
          DetailType: 'Order',
          Detail: '{"status":"PAID"}',
          Resources: ['arn:order:1'],
          Time: time,
        },
      ],
    }),
  );
  assert.equal(answer.FailedEntryCount, 0);
  const [message] = await receive(queue.url);
  assert.deepEqual(JSON.parse(message?.Body ?? ''), {
    version: '0',
    id: answer.Entries?.[0]?.EventId,
    'detail-type': 'Order',
    source: 'shop',
    account: '000000000000',
    time: '2026-03-04T05:06:07Z',
    region: 'us-east-1',
    resources: ['arn:order:1'],
    detail: { status: 'PAID' },
  });
  assert.deepEqual(await receive(other.url), []);
});

test('a refused entry says why in its place and the others go on', async () => {
  const queue = await ruleToQueue('mixed', { source: ['mixed'] });
  const good = { Source: 'mixed', DetailType: 'T', Detail: '{}' };
  const answer = await bridge.send(
    new events.PutEventsCommand({
      Entries: [
        good,
        { ...good, Detail: '{' },
        { DetailType: 'T', Detail: '{}' },
        { ...good, Source: 'aws.ec2' },
        { ...good, EventBusName: 'elsewhere' },
        good,
      ],
    }),
  );
  assert.equal(answer.FailedEntryCount, 4);
  assert.deepEqual(
    answer.Entries?.map((entry) => entry.ErrorCode ?? 'ok'),
    [
      'ok',
      'MalformedDetail',
      'InvalidArgument',
      'NotAuthorizedForSourceException',
      'ResourceNotFoundException',
      'ok',
    ],
  );
  assert.equal((await receive(queue.url)).length, 2);
});

test('more than ten entries, or more than 1 MiB of them, are refused as a whole', async () => {
  const entry = { Source: 's', DetailType: 't', Detail: '{}' };
  await assert.rejects(
    bridge.send(new events.PutEventsCommand({ Entries: Array.from({ length: 11 }, () => entry) })),
    { name: 'ValidationException', message: /less than or equal to 10/ },
  );
  const large = { ...entry, Detail: JSON.stringify({ text: 'x'.repeat(600_000) }) };
  await assert.rejects(bridge.send(new events.PutEventsCommand({ Entries: [large, large] })), {
    name: 'ValidationException',
    message: /over the limit/,
  });
});

test('a disabled rule delivers nothing until it is enabled', async () => {
  const queue = await ruleToQueue('switch', { source: ['switch'] });
  const put = (): Promise<unknown> =>
    bridge.send(
      new events.PutEventsCommand({
        Entries: [{ Source: 'switch', DetailType: 't', Detail: '{}' }],
      }),
    );
  await bridge.send(new events.DisableRuleCommand({ Name: 'switch' }));
  await put();
  assert.deepEqual(await receive(queue.url), []);
  await bridge.send(new events.EnableRuleCommand({ Name: 'switch' }));
  await put();
  assert.equal((await receive(queue.url)).length, 1);
});

test('rules and delivered events survive kill -9', async () => {
  const queue = await ruleToQueue('durable', { source: ['durable'] });
  const put = (): Promise<unknown> =>
    bridge.send(
      new events.PutEventsCommand({
        Entries: [{ Source: 'durable', DetailType: 't', Detail: '{}' }],
      }),
    );
  await put();
  await cloud.killAndRestart();
  await put();
  assert.equal((await receive(queue.url)).length, 2);
  const rule = await bridge.send(new events.DescribeRuleCommand({ Name: 'durable' }));
  assert.equal(rule.Arn, 'arn:aws:events:us-east-1:000000000000:rule/durable');
});

test('rules and targets are listed, changed and removed with the errors of AWS', async () => {
  const queue = await ruleToQueue('managed', { source: ['managed'] });
  const targets = await bridge.send(new events.ListTargetsByRuleCommand({ Rule: 'managed' }));
  assert.deepEqual(targets.Targets, [{ Id: 'queue', Arn: queue.arn }]);
  await assert.rejects(bridge.send(new events.DeleteRuleCommand({ Name: 'managed' })), {
    name: 'ValidationException',
  });
  const removed = await bridge.send(
    new events.RemoveTargetsCommand({ Rule: 'managed', Ids: ['queue', 'unknown'] }),
  );
  assert.equal(removed.FailedEntryCount, 1);
  await bridge.send(new events.DeleteRuleCommand({ Name: 'managed' }));
  const listed = await bridge.send(new events.ListRulesCommand({ NamePrefix: 'managed' }));
  assert.deepEqual(listed.Rules, []);
  await assert.rejects(bridge.send(new events.DescribeRuleCommand({ Name: 'managed' })), {
    name: 'ResourceNotFoundException',
  });
  await assert.rejects(
    bridge.send(new events.PutRuleCommand({ Name: 'bad', EventPattern: '{"source": "x"}' })),
    { name: 'InvalidEventPatternException', message: /at source/ },
  );
});
