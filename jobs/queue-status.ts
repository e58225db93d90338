import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { classifyingAws } from './classify.ts';
import type { QueueConfig } from './config.ts';
import { type QuarantiningQueue, quarantiningQueues } from './store/quarantine.ts';

export type QueueName = QuarantiningQueue | `${QuarantiningQueue}-dlq`;

/** A queue that Pawl receives from, and where its messages go that were received too often. */
export type QueuePair = {
  readonly name: QuarantiningQueue;
  readonly url: string;
  /** Undefined where the process was told the queue of a subscriber, and not its dead letters. */
  readonly dlqUrl: string | undefined;
};

/** Every queue that is configured: Pawl's own two, and those of the built-in subscribers of events. */
export function queuePairs(queues: QueueConfig): readonly QueuePair[] {
  const addresses: Readonly<
    Record<QuarantiningQueue, readonly [url: string | undefined, dlqUrl: string | undefined]>
  > = {
    'job-requests': [queues.jobRequestsUrl, queues.jobRequestsDlqUrl],
    'execution-events': [queues.executionEventsUrl, queues.executionEventsDlqUrl],
    'search-projection': [queues.searchProjectionUrl, queues.searchProjectionDlqUrl],
    notifications: [queues.notificationsUrl, queues.notificationsDlqUrl],
  };
  return quarantiningQueues.flatMap((name) => {
    const [url, dlqUrl] = addresses[name];
    return url === undefined ? [] : [{ name, url, dlqUrl }];
  });
}

/** Where messages of a queue are received; throws where a subscriber's queue is not configured in this process. */
export function sourceUrlOf(queues: QueueConfig, queue: QuarantiningQueue): string {
  const pair = queuePairs(queues).find(({ name }) => name === queue);
  if (pair === undefined) throw new Error(`the queue ${queue} is not configured here`);
  return pair.url;
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

async function readQueueDepth(sqs: SQSClient, name: QueueName, url: string): Promise<QueueDepth> {
  const { Attributes } = await classifyingAws(() =>
    sqs.send(new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: [...counts] })),
  );
  const [visible, inFlight, delayed] = counts.map((count) => Number(Attributes?.[count] ?? 0));
  return { name, visible: visible ?? 0, inFlight: inFlight ?? 0, delayed: delayed ?? 0 };
}

/** Of every configured queue, then of their dead-letter queues. */
export async function readQueueDepths(sqs: SQSClient, queues: QueueConfig): Promise<QueueDepth[]> {
  const pairs = queuePairs(queues);
  const sources = pairs.map(({ name, url }) => readQueueDepth(sqs, name, url));
  const dlqs = pairs.flatMap(({ name, dlqUrl }) =>
    dlqUrl === undefined ? [] : [readQueueDepth(sqs, `${name}-dlq`, dlqUrl)],
  );
  return await Promise.all([...sources, ...dlqs]);
}
