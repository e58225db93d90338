import {
  CreateArchiveCommand,
  PutRuleCommand,
  PutTargetsCommand,
  ResourceAlreadyExistsException,
  UpdateArchiveCommand,
} from '@aws-sdk/client-eventbridge';
import {
  BucketAlreadyOwnedByYou,
  CreateBucketCommand,
  type LifecycleRule,
  PutBucketCorsCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketVersioningCommand,
} from '@aws-sdk/client-s3';
import { CreateTopicCommand, SubscribeCommand } from '@aws-sdk/client-sns';
import {
  CreateQueueCommand,
  type QueueAttributeName,
  QueueNameExists,
  SetQueueAttributesCommand,
} from '@aws-sdk/client-sqs';
import { eventSource } from '../../jobs/events/catalogue.ts';
import { notifyingEvents } from '../../jobs/events/notifications.ts';
import { projectedEvents } from '../../jobs/events/search-projection.ts';
import { ACCOUNT, type Addresses, BUCKET, EVENT_ARCHIVE, EVENT_BUS, REGION } from './addresses.ts';
import type { AwsAccount } from './aws-account.ts';

const DAY_SECONDS = 86_400;
const RETENTION_SECONDS = 4 * DAY_SECONDS;
/** Longer than the queues', because a message keeps its age when it moves to the dead-letter queue. */
const DLQ_RETENTION_SECONDS = 14 * DAY_SECONDS;
/** Receives are for crashes of the consumer; the fifth is the last. */
const MAX_RECEIVE_COUNT = 5;
/** Subscribers of events leave a message in its queue while something around them fails, for the better part of a day. */
const MAX_SUBSCRIBER_RECEIVE_COUNT = 100;
/** A machine has less room than AWS, where it is 30. */
const ARCHIVE_DAYS = 7;
const VISIBILITY_SECONDS = 30;
const MAX_MESSAGE_BYTES = 1_048_576;

const arnOf = (queue: string): string => `arn:aws:sqs:${REGION}:${ACCOUNT}:${queue}`;
const topicArn = (name: string): string => `arn:aws:sns:${REGION}:${ACCOUNT}:${name}`;

/**
 * Makes the queues, the buckets, the rules and the archive of events that Pawl needs, and sets those that are there to what
 * it needs now. `jobArchive` is the bucket that old jobs go to, where the user wants one.
 */
export async function provisionCloud(
  account: AwsAccount,
  { api, queues }: Addresses,
  jobArchive: string | undefined,
): Promise<void> {
  await Promise.all([
    queueWithDlq(account, 'job-requests', queues.jobRequests, queues.jobRequestsDlq),
    queueWithDlq(account, 'execution-events', queues.executionEvents, queues.executionEventsDlq),
    subscriber(account, 'search-projection', queues.searchProjection, queues.searchProjectionDlq),
    subscriber(account, 'notifications', queues.notifications, queues.notificationsDlq),
    makePayloadBucket(account, api),
    ...(jobArchive === undefined || jobArchive === '' ? [] : [makeBucket(account, jobArchive)]),
  ]);
  await Promise.all([archive(account), topicToQueue(account, 'notifications')]);
  await rule(account, 'search-projection', projectedEvents, arnOf('search-projection'));
  await rule(account, 'notifications', notifyingEvents, topicArn('pawl-notifications'));
  await account.eventBridge.send(
    new PutRuleCommand({
      Name: 'pawl-execution-events',
      EventBusName: EVENT_BUS,
      EventPattern: JSON.stringify({
        source: ['aws.states'],
        'detail-type': ['Step Functions Execution Status Change'],
        detail: {
          stateMachineArn: [{ prefix: `arn:aws:states:${REGION}:${ACCOUNT}:stateMachine:pawl-` }],
        },
      }),
    }),
  );
  await account.eventBridge.send(
    new PutTargetsCommand({
      Rule: 'pawl-execution-events',
      EventBusName: EVENT_BUS,
      Targets: [{ Id: 'execution-events', Arn: arnOf('execution-events') }],
    }),
  );
}

/** Brings our events of these types from the bus to the queue or topic. */
async function rule(
  { eventBridge }: AwsAccount,
  name: string,
  types: readonly string[],
  target: string,
): Promise<void> {
  const Rule = `pawl-${name}`;
  const EventPattern = JSON.stringify({ source: [eventSource], 'detail-type': types });
  await eventBridge.send(new PutRuleCommand({ Name: Rule, EventBusName: EVENT_BUS, EventPattern }));
  const Targets = [{ Id: name, Arn: target }];
  await eventBridge.send(new PutTargetsCommand({ Rule, EventBusName: EVENT_BUS, Targets }));
}

/** A topic, so that others may listen as well; the queue gets the events as they are. */
async function topicToQueue({ sns }: AwsAccount, queue: string): Promise<void> {
  await sns.send(new CreateTopicCommand({ Name: `pawl-${queue}` }));
  await sns.send(
    new SubscribeCommand({
      TopicArn: topicArn(`pawl-${queue}`),
      Protocol: 'sqs',
      Endpoint: arnOf(queue),
      Attributes: {
        RawMessageDelivery: 'true',
        RedrivePolicy: JSON.stringify({ deadLetterTargetArn: arnOf(`${queue}-dlq`) }),
      },
    }),
  );
}

/** Every event of ours, for replays. */
async function archive({ eventBridge }: AwsAccount): Promise<void> {
  const kept = {
    ArchiveName: EVENT_ARCHIVE,
    EventPattern: JSON.stringify({ source: [eventSource] }),
    RetentionDays: ARCHIVE_DAYS,
  };
  const EventSourceArn = `arn:aws:events:${REGION}:${ACCOUNT}:event-bus/${EVENT_BUS}`;
  try {
    await eventBridge.send(new CreateArchiveCommand({ ...kept, EventSourceArn }));
  } catch (error) {
    if (!(error instanceof ResourceAlreadyExistsException)) throw error;
    await eventBridge.send(new UpdateArchiveCommand(kept));
  }
}

const subscriber = (
  account: AwsAccount,
  name: string,
  url: string,
  dlqUrl: string,
): Promise<void> => queueWithDlq(account, name, url, dlqUrl, MAX_SUBSCRIBER_RECEIVE_COUNT);

async function queueWithDlq(
  account: AwsAccount,
  name: string,
  url: string,
  dlqUrl: string,
  maxReceiveCount = MAX_RECEIVE_COUNT,
): Promise<void> {
  await makeQueue(account, `${name}-dlq`, dlqUrl, {
    MessageRetentionPeriod: String(DLQ_RETENTION_SECONDS),
    MaximumMessageSize: String(MAX_MESSAGE_BYTES),
  });
  await makeQueue(account, name, url, {
    VisibilityTimeout: String(VISIBILITY_SECONDS),
    MessageRetentionPeriod: String(RETENTION_SECONDS),
    MaximumMessageSize: String(MAX_MESSAGE_BYTES),
    RedrivePolicy: JSON.stringify({
      deadLetterTargetArn: arnOf(`${name}-dlq`),
      maxReceiveCount,
    }),
  });
}

async function makeQueue(
  { sqs }: AwsAccount,
  name: string,
  url: string,
  attributes: Partial<Record<QueueAttributeName, string>>,
): Promise<void> {
  try {
    await sqs.send(new CreateQueueCommand({ QueueName: name, Attributes: attributes }));
  } catch (error) {
    if (!(error instanceof QueueNameExists)) throw error; // it is there with other attributes
    await sqs.send(new SetQueueAttributesCommand({ QueueUrl: url, Attributes: attributes }));
  }
}

async function makeBucket({ s3 }: AwsAccount, bucket: string): Promise<void> {
  try {
    await s3.send(new CreateBucketCommand({ Bucket: bucket }));
  } catch (error) {
    if (!(error instanceof BucketAlreadyOwnedByYou)) throw error;
  }
}

async function makePayloadBucket(account: AwsAccount, api: string): Promise<void> {
  const { s3 } = account;
  await makeBucket(account, BUCKET);
  // A validated payload is pinned by its version.
  await s3.send(
    new PutBucketVersioningCommand({
      Bucket: BUCKET,
      VersioningConfiguration: { Status: 'Enabled' },
    }),
  );
  // The console puts files where POST /uploads says.
  const CORSRules = [
    { AllowedOrigins: consoleOrigins(api), AllowedMethods: ['PUT'], AllowedHeaders: ['*'] },
  ];
  await s3.send(new PutBucketCorsCommand({ Bucket: BUCKET, CORSConfiguration: { CORSRules } }));
  // A multipart upload that nobody completed is gone a day later, with its parts.
  const Rules: LifecycleRule[] = [
    {
      ID: 'abort-incomplete-uploads',
      Status: 'Enabled',
      Filter: { Prefix: '' },
      AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
    },
  ];
  await s3.send(
    new PutBucketLifecycleConfigurationCommand({
      Bucket: BUCKET,
      LifecycleConfiguration: { Rules },
    }),
  );
}

/** A person may write localhost where we say 127.0.0.1. */
const consoleOrigins = (api: string): string[] => [api, api.replace('127.0.0.1', 'localhost')];
