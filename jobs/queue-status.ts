import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { classifyingAws } from './classify.ts';
import type { QueueConfig } from './config.ts';
import type { QuarantiningQueue } from './store/quarantine.ts';

/** The queues by their names; each of the first two has the dead-letter queue of its name. */
export const queueNames = [
  'job-requests',
  'execution-events',
  'job-requests-dlq',
  'execution-events-dlq',
] as const;
export type QueueName = (typeof queueNames)[number];
export type SourceQueue = 'job-requests' | 'execution-events';

export const queueUrlOf = (queues: QueueConfig, name: QueueName): string =>
  ({
    'job-requests': queues.jobRequestsUrl,
    'execution-events': queues.executionEventsUrl,
    'job-requests-dlq': queues.jobRequestsDlqUrl,
    'execution-events-dlq': queues.executionEventsDlqUrl,
  })[name];

/** Where messages of a queue are received; throws where a subscriber's queue is not configured in this process. */
export function sourceUrlOf(queues: QueueConfig, queue: QuarantiningQueue): string {
  if (queue === 'job-requests' || queue === 'execution-events') return queueUrlOf(queues, queue);
  const url = queue === 'notifications' ? queues.notificationsUrl : queues.searchProjectionUrl;
  if (url === undefined) throw new Error(`the queue ${queue} is not configured here`);
  return url;
}

/** Approximate, as SQS says itself. */
export type QueueDepth = {
  readonly name: QueueName;
  readonly visible: number;
  readonly inFlight: number;
  readonly delayed: number;
};

const counts = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
] as const;

export async function readQueueDepth(
  sqs: SQSClient,
  queues: QueueConfig,
  name: QueueName,
): Promise<QueueDepth> {
  const { Attributes } = await classifyingAws(() =>
    sqs.send(
      new GetQueueAttributesCommand({
        QueueUrl: queueUrlOf(queues, name),
        AttributeNames: [...counts],
      }),
    ),
  );
  const [visible, inFlight, delayed] = counts.map((count) => Number(Attributes?.[count] ?? 0));
  return { name, visible: visible ?? 0, inFlight: inFlight ?? 0, delayed: delayed ?? 0 };
}

export const readQueueDepths = async (sqs: SQSClient, queues: QueueConfig): Promise<QueueDepth[]> =>
  await Promise.all(queueNames.map((name) => readQueueDepth(sqs, queues, name)));
