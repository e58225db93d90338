import { ArnFormat, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import * as events from 'aws-cdk-lib/aws-events';
import { SnsTopic, SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import * as s3 from 'aws-cdk-lib/aws-s3';
import * as sns from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { eventSource } from '../jobs/events/catalogue.ts';
import { notifyingEvents } from '../jobs/events/notifications.ts';
import { projectedEvents } from '../jobs/events/search-projection.ts';
import { stateMachineNameOf } from '../statemachines/job-type.ts';
import { removalOf } from './lifetimes.ts';
import { type Stage, visibilitySeconds } from './stages.ts';

/** A queue, and where its messages go whose consumers died. */
export type QueuePair = { readonly queue: sqs.Queue; readonly dlq: sqs.Queue };

const retention = Duration.days(4);
/** Longer than the queues', because a message keeps its age when it moves to the dead-letter queue. */
const dlqRetention = Duration.days(14);
/** Receives are for crashes of the consumer; the fifth is the last. */
const maxReceiveCount = 5;
/** Subscribers of events leave a message in its queue while something around them fails, for the better part of a day. */
const maxSubscriberReceiveCount = 100;

/** Who receives which of Pawl's events, by which way, and the variables that tell the processes where. */
const subscriberRules = [
  {
    name: 'search-projection',
    id: 'SearchProjection',
    types: projectedEvents,
    by: 'queue',
    variables: { queue: 'SEARCH_PROJECTION_QUEUE_URL', dlq: 'SEARCH_PROJECTION_DLQ_URL' },
  },
  {
    name: 'notifications',
    id: 'Notifications',
    types: notifyingEvents,
    // What people are told others may want to listen to as well, by their own subscriptions.
    by: 'topic',
    variables: { queue: 'NOTIFICATIONS_QUEUE_URL', dlq: 'NOTIFICATIONS_DLQ_URL' },
  },
] as const;

export type Subscriber = QueuePair & {
  readonly name: string;
  readonly variables: { readonly queue: string; readonly dlq: string };
};

/** The queues, the event bus with its archive, the rule for executions' ends, and the buckets of payloads and of old jobs. */
export class MessagingStack extends Stack {
  readonly jobRequests: QueuePair;
  readonly executionEvents: QueuePair;
  readonly payloads: s3.IBucket;
  readonly accessLogs: s3.IBucket;
  readonly bus: events.EventBus;
  readonly archive: events.Archive;
  readonly subscribers: readonly Subscriber[];
  /** Named, so that roles' resources can be read in their policies. */
  readonly payloadBucketName: string;
  /** Where retention writes old jobs before it removes them. */
  readonly jobArchiveName: string;

  constructor(scope: Construct, id: string, stage: Stage, props: StackProps) {
    super(scope, id, props);
    this.jobRequests = this.#queue('JobRequests', 'pawl-job-requests');
    this.executionEvents = this.#queue('ExecutionEvents', 'pawl-execution-events');
    this.#executionRule();
    this.bus = new events.EventBus(this, 'Events', { eventBusName: 'pawl' });
    this.archive = this.#archive();
    this.subscribers = subscriberRules.map((rule) => this.#subscriber(rule));
    this.accessLogs = this.#bucket('AccessLogs', stage, {
      // Load balancers deliver their logs with this only.
      encryption: s3.BucketEncryption.S3_MANAGED,
      objectOwnership: s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
      lifecycleRules: [{ expiration: Duration.days(90) }],
    });
    this.payloadBucketName = `pawl-payloads-${this.account}-${this.region}`;
    this.payloads = this.#bucket('Payloads', stage, {
      bucketName: this.payloadBucketName,
      encryption: s3.BucketEncryption.S3_MANAGED,
      // A validated payload is pinned by its version.
      versioned: true,
      serverAccessLogsBucket: this.accessLogs,
      serverAccessLogsPrefix: 'payloads/',
      // The console puts files where POST /uploads says: the signature permits it, whatever page asks.
      cors: [
        { allowedMethods: [s3.HttpMethods.PUT], allowedOrigins: ['*'], allowedHeaders: ['*'] },
      ],
      lifecycleRules: [
        {
          // POST /uploads gives hours; a day later nobody completes it any more.
          abortIncompleteMultipartUploadAfter: Duration.days(1),
          noncurrentVersionExpiration: Duration.days(30),
          transitions: [
            {
              storageClass: s3.StorageClass.INTELLIGENT_TIERING,
              transitionAfter: Duration.days(30),
            },
          ],
        },
      ],
    });
    this.jobArchiveName = `pawl-archive-${this.account}-${this.region}`;
    this.#bucket('JobArchive', stage, {
      bucketName: this.jobArchiveName,
      encryption: s3.BucketEncryption.S3_MANAGED,
      serverAccessLogsBucket: this.accessLogs,
      serverAccessLogsPrefix: 'archive/',
      lifecycleRules: [
        {
          transitions: [
            {
              // Read once a year, when somebody asks what became of a job.
              storageClass: s3.StorageClass.GLACIER_INSTANT_RETRIEVAL,
              transitionAfter: Duration.days(30),
            },
          ],
        },
      ],
    });
  }

  /** The objects of a bucket, by default that of payloads, whose keys fit `pattern`. */
  objectsArn(pattern: string, bucket = this.payloadBucketName): string {
    return `arn:${this.partition}:s3:::${bucket}/${pattern}`;
  }

  #queue(id: string, queueName: string, receives = maxReceiveCount): QueuePair {
    const secure = { encryption: sqs.QueueEncryption.SQS_MANAGED, enforceSSL: true };
    const dlq = new sqs.Queue(this, `${id}Dlq`, {
      ...secure,
      queueName: `${queueName}-dlq`,
      retentionPeriod: dlqRetention,
    });
    const queue = new sqs.Queue(this, id, {
      ...secure,
      queueName,
      retentionPeriod: retention,
      visibilityTimeout: Duration.seconds(visibilitySeconds),
      receiveMessageWaitTime: Duration.seconds(20),
      deadLetterQueue: { queue: dlq, maxReceiveCount: receives },
    });
    return { queue, dlq };
  }

  /** Step Functions tells of every execution on the account's own bus: best effort, in any order. */
  #executionRule(): void {
    const { queue, dlq } = this.executionEvents;
    const machines = this.formatArn({
      service: 'states',
      resource: 'stateMachine',
      resourceName: stateMachineNameOf(''),
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    new events.Rule(this, 'ExecutionStatusChanges', {
      ruleName: 'pawl-execution-events',
      eventPattern: {
        source: ['aws.states'],
        detailType: ['Step Functions Execution Status Change'],
        detail: { stateMachineArn: events.Match.prefix(machines) },
      },
      // What EventBridge cannot deliver for a day joins the queue's own dead letters.
      targets: [new SqsQueue(queue, { deadLetterQueue: dlq, maxEventAge: Duration.hours(24) })],
    });
  }

  /** A queue of its own with its own dead letters, so that one subscriber never holds up another. */
  #subscriber({ name, id, types, by, variables }: (typeof subscriberRules)[number]): Subscriber {
    const pair = this.#queue(id, `pawl-${name}`, maxSubscriberReceiveCount);
    const undelivered = { deadLetterQueue: pair.dlq, maxEventAge: Duration.hours(24) };
    new events.Rule(this, `${id}Rule`, {
      ruleName: `pawl-${name}`,
      eventBus: this.bus,
      eventPattern: { source: [eventSource], detailType: [...types] },
      targets: [
        by === 'queue'
          ? new SqsQueue(pair.queue, undelivered)
          : new SnsTopic(this.#topic(id, name, pair), undelivered),
      ],
    });
    return { ...pair, name, variables };
  }

  /** A topic with the queue subscribed to it: the queue gets the events as they are. */
  #topic(id: string, name: string, { queue, dlq }: QueuePair): sns.Topic {
    // AWS' own key for SNS lets no event through.
    const masterKey = new Key(this, `${id}TopicKey`, {
      description: `Encrypts ${name} on their way through SNS`,
      enableKeyRotation: true,
    });
    masterKey.grantEncryptDecrypt(new ServicePrincipal('events.amazonaws.com'));
    const topic = new sns.Topic(this, `${id}Topic`, {
      topicName: `pawl-${name}`,
      masterKey,
      enforceSSL: true,
    });
    topic.addSubscription(
      new SqsSubscription(queue, { rawMessageDelivery: true, deadLetterQueue: dlq }),
    );
    return topic;
  }

  /** What Pawl tells others; kept for a month, so that a subscriber can be given it again. */
  #archive(): events.Archive {
    return this.bus.archive('Archive', {
      archiveName: 'pawl',
      description: 'Every event of Pawl, for replays',
      eventPattern: { account: [this.account] },
      retention: Duration.days(30),
    });
  }

  #bucket(id: string, stage: Stage, props: s3.BucketProps): s3.IBucket {
    return new s3.Bucket(this, id, {
      blockPublicAccess: s3.BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      removalPolicy: removalOf(stage),
      ...props,
    }) as s3.IBucket;
  }
}
