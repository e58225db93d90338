import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { EventBridgeClient, PutRuleCommand, PutTargetsCommand } from '@aws-sdk/client-eventbridge';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { CreateQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import {
  isJsonObject,
  type Json,
  type JsonObject,
} from '../../local/stepfunctions/language/json.ts';
import { startCloud, type TestCloud } from '../support/start-cloud.ts';
import { waitFor } from '../support/wait-for.ts';
import { startFixture, types, type Described, type Fixture } from './engine-fixture.ts';

const client = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
};

let cloud: TestCloud;
let sqs: SQSClient;
let fixture: Fixture;

before(async () => {
  cloud = await startCloud();
  sqs = new SQSClient({ ...client, endpoint: cloud.endpoint });
  fixture = await startFixture('services', {
    endpoints: {
      sqs: cloud.endpoint,
      sns: cloud.endpoint,
      s3: cloud.s3Endpoint,
      eventbridge: cloud.eventBridgeEndpoint,
    },
  });
});

after(async () => {
  fixture.stop();
  sqs.destroy();
  await cloud.stop();
});

async function runTask(
  resource: string,
  parameters: object,
  input: Json = {},
): Promise<Described & { arn: string }> {
  const state = {
    Type: 'Task',
    Resource: `arn:aws:states:::${resource}`,
    Parameters: parameters,
    End: true,
  };
  const arn = await fixture.run({ StartAt: 'Call', States: { Call: state } }, input);
  return { ...(await fixture.ended(arn)), arn };
}

async function createQueue(name: string): Promise<string> {
  const { QueueUrl: url } = await sqs.send(new CreateQueueCommand({ QueueName: name }));
  return url ?? '';
}

function messageOf(queueUrl: string): Promise<string> {
  return waitFor(async () => {
    const { Messages: messages } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl: queueUrl, WaitTimeSeconds: 1 }),
    );
    return messages?.[0]?.Body;
  }, 10_000);
}

function outputOf({ status, output, cause }: Described): JsonObject {
  assert.equal(status, 'SUCCEEDED', cause);
  const value: unknown = JSON.parse(output ?? 'null');
  return isJsonObject(value) ? value : {};
}

test('sqs:sendMessage sends an object as its JSON and answers with the id and the SDK metadata', async () => {
  const queue = await createQueue('plain');
  const output = outputOf(
    await runTask(
      'sqs:sendMessage',
      { QueueUrl: queue, MessageBody: { 'order.$': '$.order' } },
      { order: 7 },
    ),
  );
  assert.equal(await messageOf(queue), '{"order":7}');
  const { MessageId: id } = output;
  assert.ok(typeof id === 'string' && /^[\w-]{36}$/.test(id));
  assert.deepEqual(Object.keys(output).toSorted(), [
    'MD5OfMessageBody',
    'MessageId',
    'SdkHttpMetadata',
    'SdkResponseMetadata',
  ]);
});

test('sqs:sendMessage.waitForTaskToken waits for who gets the message', async () => {
  const queue = await createQueue('callback');
  const state = {
    Type: 'Task',
    Resource: 'arn:aws:states:::sqs:sendMessage.waitForTaskToken',
    Parameters: { QueueUrl: queue, MessageBody: { 'token.$': '$$.Task.Token' } },
    End: true,
  };
  const executionArn = await fixture.run({ StartAt: 'Ask', States: { Ask: state } });
  const { token } = JSON.parse(await messageOf(queue)) as { token: string };
  await fixture.call('SendTaskSuccess', { taskToken: token, output: '"yes"' });
  assert.equal((await fixture.ended(executionArn)).output, '"yes"');
  assert.ok(types(await fixture.history(executionArn)).includes('TaskSubmitted'));
});

test('sns:publish answers with the message id, and fails as AWS does for a topic that is not there', async () => {
  const created = await fetch(cloud.endpoint, {
    method: 'POST',
    headers: {
      Authorization: 'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/sns/aws4_request',
    },
    body: new URLSearchParams({ Action: 'CreateTopic', Name: 'news', Version: '2010-03-31' }),
  });
  assert.equal(created.status, 200);
  const { MessageId: id } = outputOf(
    await runTask('sns:publish', {
      TopicArn: 'arn:aws:sns:us-east-1:000000000000:news',
      Message: { hello: 'world' },
      MessageAttributes: { kind: { DataType: 'String', StringValue: 'greeting' } },
    }),
  );
  assert.ok(typeof id === 'string' && id !== '');
  const missing = await runTask('sns:publish', {
    TopicArn: 'arn:aws:sns:us-east-1:000000000000:nowhere',
    Message: { hello: 'world' },
  });
  assert.equal(missing.error, 'SNS.NotFoundException');
  assert.match(
    missing.cause ?? '',
    /^Topic does not exist \(Service: AmazonSNS; Status Code: 404; Error Code: NotFound; /,
  );
});

test('events:putEvents adds the execution and its machine to the resources', async () => {
  const queue = await createQueue('events');
  const events = new EventBridgeClient({ ...client, endpoint: cloud.eventBridgeEndpoint });
  await events.send(
    new PutRuleCommand({ Name: 'all', EventPattern: JSON.stringify({ source: ['shop'] }) }),
  );
  await events.send(
    new PutTargetsCommand({
      Rule: 'all',
      Targets: [{ Id: 'queue', Arn: 'arn:aws:sqs:us-east-1:000000000000:events' }],
    }),
  );
  const ended = await runTask('events:putEvents', {
    Entries: [{ Source: 'shop', DetailType: 'Order', Detail: { order: 7 } }],
  });
  assert.equal(outputOf(ended)['FailedEntryCount'], 0);
  const event = JSON.parse(await messageOf(queue)) as { detail: Json; resources: string[] };
  assert.deepEqual(event.detail, { order: 7 });
  assert.equal(event.resources[0], ended.arn);
  assert.match(event.resources[1] ?? '', /:stateMachine:machine-\d+$/);
  events.destroy();
});

test('aws-sdk integrations take every action of an installed client and name errors as AWS does', async () => {
  const s3 = new S3Client({ ...client, endpoint: cloud.s3Endpoint, forcePathStyle: true });
  await s3.send(new CreateBucketCommand({ Bucket: 'things' }));
  s3.destroy();
  const thing = { Bucket: 'things', Key: 'a' };
  outputOf(await runTask('aws-sdk:s3:putObject', { ...thing, Body: { a: 1 } }));
  assert.equal(outputOf(await runTask('aws-sdk:s3:getObject', thing))['Body'], '{"a":1}');
  const missing = await runTask('aws-sdk:s3:getObject', { ...thing, Key: 'b' });
  assert.equal(missing.error, 'S3.NoSuchKeyException');
  assert.match(
    missing.cause ?? '',
    /\(Service: S3, Status Code: 404, Request ID: .+\) \(SDK Attempt Count: 1\)$/,
  );

  const machines = outputOf(await runTask('aws-sdk:sfn:listStateMachines', {}))['StateMachines'];
  assert.ok(Array.isArray(machines) && machines.length > 0);
  const [machine] = machines;
  assert.ok(isJsonObject(machine) && typeof machine['StateMachineArn'] === 'string');
  const token = await runTask('aws-sdk:sfn:sendTaskSuccess', { TaskToken: 'none', Output: '1' });
  assert.equal(token.error, 'Sfn.InvalidTokenException');
});

test('a service or action that is not there fails loudly', async () => {
  const service = await runTask('aws-sdk:dynamodb:putItem', { TableName: 't' });
  assert.equal(service.error, 'States.Runtime');
  assert.match(service.cause ?? '', /'aws-sdk:dynamodb:putItem' is not supported/);
  const action = await runTask('aws-sdk:s3:paintObject', {});
  assert.match(action.cause ?? '', /has no action 'paintObject'/);
});
