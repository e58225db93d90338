import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Logger } from 'pino';
import type { QueueConfig } from '../jobs/config.ts';
import { peekDeadLetters } from '../jobs/dead-letters.ts';
import { messageNameOf } from '../jobs/message-name.ts';
import type { QueueView } from '../jobs/reconcile.ts';
import type { ReceivedGroups } from './received-groups.ts';

const counts = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
] as const;

/** Whether SQS shows nothing visible, in flight or delayed; approximate, as its names say. */
export async function isQueueEmpty(sqs: SQSClient, queueUrl: string): Promise<boolean> {
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: [...counts] }),
  );
  return counts.every((name) => Attributes?.[name] === '0');
}

/** So many of the dead letters are looked at; of jobs beyond it the reconciler knows by how often it has sent them. */
const deadLettersLookedAt = 100;

/** The idempotency keys of the first messages in the dead-letter queue. They stay in it (see peekDeadLetters). */
export async function readDeadLetterKeys(
  sqs: SQSClient,
  dlqUrl: string,
): Promise<ReadonlySet<string>> {
  if (await isQueueEmpty(sqs, dlqUrl)) return new Set();
  const messages = await peekDeadLetters(sqs, dlqUrl, deadLettersLookedAt);
  return new Set(messages.flatMap(({ Body = '' }) => messageNameOf(Body)?.idempotencyKey ?? []));
}

type Deps = {
  readonly sqs: SQSClient;
  readonly queues: Pick<QueueConfig, 'jobRequestsUrl' | 'jobRequestsDlqUrl'>;
  readonly received: ReceivedGroups;
  readonly log: Logger;
};

/** What the reconciler goes by; the dead letters only where some message may be one. */
export async function viewJobRequests(
  { sqs, queues, received, log }: Deps,
  anyPublished: boolean,
): Promise<QueueView> {
  const [empty, deadLetters] = await Promise.all([
    isQueueEmpty(sqs, queues.jobRequestsUrl).catch((error: unknown) => {
      // Then no message counts as lost; what asks nothing of SQS is reconciled all the same.
      log.warn({ err: error }, 'whether the queue is empty is not known');
      return false;
    }),
    anyPublished
      ? readDeadLetterKeys(sqs, queues.jobRequestsDlqUrl).catch((error: unknown) => {
          // A job is held all the same, when its message was sent again often enough.
          log.warn({ err: error }, 'the dead-letter queue cannot be looked at');
          return new Set<string>();
        })
      : new Set<string>(),
  ]);
  return { empty, deadLetters, hasPassed: (group, sentAt) => received.hasPassed(group, sentAt) };
}
