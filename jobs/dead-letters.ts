import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { classifyingAws } from './classify.ts';

/** SQS has no peeking: what is looked at is received, and given back at once. */
const peekVisibilitySeconds = 20;
/** Longer than a turn takes; what a killed process had in hand comes back after it. */
const moveVisibilitySeconds = 60;
/** A second of long polling asks every server of SQS; without it some messages are overlooked. */
const waitSeconds = 1;
const batchSize = 10;

/** Shows up to `limit` messages of a dead-letter queue. They stay in it; each look adds one to their receive counts. */
export async function peekDeadLetters(
  sqs: SQSClient,
  dlqUrl: string,
  limit: number,
): Promise<Message[]> {
  const seen: Message[] = [];
  try {
    while (seen.length < limit) {
      const wanted = Math.min(batchSize, limit - seen.length);
      const messages = await receive(sqs, dlqUrl, peekVisibilitySeconds, wanted);
      if (messages.length === 0) break;
      seen.push(...messages);
    }
  } finally {
    await giveBack(sqs, dlqUrl, seen);
  }
  return seen;
}

export type Taking = {
  /** `all`, or the SQS message ids as the list shows them. */
  readonly messageIds: ReadonlySet<string> | 'all';
  /** At most so many, and for so long; who wants more asks again. */
  readonly limit: number;
  readonly timeLimitMs: number;
};

export type Taken = {
  readonly taken: readonly Message[];
  /** Messages may be left that were meant: the limit or the time was reached first. */
  readonly more: boolean;
};

/**
 * Sends messages to the queue they came from, each deleted only after SQS has it there: a crash in between leaves it
 * in both, which the inbox makes one. Body, group and attributes stay, so the idempotency key does too.
 *
 * Not SQS's StartMessageMoveTask: it moves all or nothing, and cannot leave one out
 * (https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-dead-letter-queue-redrive.html).
 */
export const redriveDeadLetters = async (
  sqs: SQSClient,
  urls: { readonly dlq: string; readonly source: string },
  taking: Taking,
): Promise<Taken> =>
  await take(sqs, urls.dlq, taking, async (message) => {
    await classifyingAws(() => sqs.send(new SendMessageCommand(copyOf(message, urls.source))));
    await remove(sqs, urls.dlq, message);
  });

/** Deletes messages; `keep` is called with each before, and what it throws keeps the message. */
export const discardDeadLetters = async (
  sqs: SQSClient,
  dlqUrl: string,
  taking: Taking,
  keep: (message: Message) => Promise<void>,
): Promise<Taken> =>
  await take(sqs, dlqUrl, taking, async (message) => {
    await keep(message);
    await remove(sqs, dlqUrl, message);
  });

async function take(
  sqs: SQSClient,
  dlqUrl: string,
  { messageIds, limit, timeLimitMs }: Taking,
  act: (message: Message) => Promise<void>,
): Promise<Taken> {
  const deadline = performance.now() + timeLimitMs;
  const wanted = messageIds === 'all' ? limit : Math.min(limit, messageIds.size);
  const taken: Message[] = [];
  const passedOver: Message[] = [];
  let isEmpty = false;
  try {
    while (taken.length < wanted && !isEmpty && performance.now() < deadline) {
      const messages = await receive(sqs, dlqUrl, moveVisibilitySeconds, batchSize);
      isEmpty = messages.length === 0;
      const isMeant = ({ MessageId = '' }: Message): boolean =>
        messageIds === 'all' || messageIds.has(MessageId);
      passedOver.push(...messages.filter((message) => !isMeant(message)));
      const meant = messages.filter(isMeant);
      const outcomes = await Promise.allSettled(meant.map((message) => act(message)));
      taken.push(...meant.filter((_, index) => outcomes[index]?.status === 'fulfilled'));
      const failed = outcomes.find((outcome) => outcome.status === 'rejected');
      passedOver.push(...meant.filter((_, index) => outcomes[index]?.status === 'rejected'));
      if (failed !== undefined) throw failed.reason;
    }
  } finally {
    await giveBack(sqs, dlqUrl, passedOver);
  }
  return { taken, more: taken.length < wanted ? !isEmpty : messageIds === 'all' };
}

async function receive(
  sqs: SQSClient,
  QueueUrl: string,
  VisibilityTimeout: number,
  MaxNumberOfMessages: number,
): Promise<Message[]> {
  const command = new ReceiveMessageCommand({
    QueueUrl,
    VisibilityTimeout,
    MaxNumberOfMessages,
    WaitTimeSeconds: waitSeconds,
    MessageAttributeNames: ['All'],
    MessageSystemAttributeNames: ['All'],
  });
  const { Messages } = await classifyingAws(() => sqs.send(command));
  return Messages ?? [];
}

const copyOf = (message: Message, QueueUrl: string) => ({
  QueueUrl,
  MessageBody: message.Body ?? '',
  ...(message.MessageAttributes === undefined
    ? {}
    : { MessageAttributes: message.MessageAttributes }),
  ...(message.Attributes?.MessageGroupId === undefined
    ? {}
    : { MessageGroupId: message.Attributes.MessageGroupId }),
});

const remove = async (sqs: SQSClient, QueueUrl: string, { ReceiptHandle }: Message) =>
  await classifyingAws(() => sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle })));

async function giveBack(
  sqs: SQSClient,
  QueueUrl: string,
  messages: readonly Message[],
): Promise<void> {
  for (let from = 0; from < messages.length; from += batchSize) {
    const Entries = messages.slice(from, from + batchSize).map(({ ReceiptHandle }, index) => ({
      Id: String(index),
      ReceiptHandle,
      VisibilityTimeout: 0,
    }));
    await classifyingAws(() =>
      sqs.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries })),
    );
  }
}
