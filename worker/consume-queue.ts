import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  type Message,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { Logger } from 'pino';
import { Consumer } from 'sqs-consumer';
import type { Disposition } from '../jobs/dispatch/dispatch-message.ts';
import { crashPoint } from '../jobs/crash-point.ts';
import { createMicroBatch } from '../jobs/micro-batch.ts';
import type { ReceivedMessage } from '../jobs/store/quarantine.ts';
import type { ReceivedGroups } from './received-groups.ts';

export type QueueConsumer = {
  start(): void;
  /** Takes no more; what is in hand goes on, what an open poll still brings is given back. */
  pause(): void;
  /** Takes no more, gives back what has not begun, and resolves when the rest is done or `graceMs` is over. */
  stop(graceMs: number): Promise<void>;
};

type Options = {
  readonly sqs: SQSClient;
  readonly queueUrl: string;
  readonly queue: ReceivedMessage['queue'];
  /** Messages worked on at once, over all consumers of this process. */
  readonly concurrency: number;
  readonly handle: (message: ReceivedMessage) => Promise<Disposition>;
  /** Told of every message that stays in the queue because something around us fails, and of each that is done. */
  readonly onOutcome?: (disposition: Disposition) => void;
  /** Told of every message that is taken. */
  readonly received?: ReceivedGroups;
  readonly log: Logger;
};

/** Short, because a dead client's message waits for all of it; the heartbeat extends it while work goes on. */
const visibilitySeconds = 30;
const heartbeatSeconds = 10;
/** Short, because a poll that was cut off may still be given a message (stand-in) and stopping waits for it. */
const waitSeconds = 2;
/**
 * By then every poll that was open has ended. Sooner, what one of them brings to a consumer that takes no more would be brought
 * by the next one, and by each a receive is spent: five, and the message is a dead letter.
 */
const pollsEndSeconds = waitSeconds + 1;
const perConsumer = 10;
/** Nobody waits for a deletion: what is done within this time goes in one call. Far below the visibility timeout. */
const deletionsGatherMs = 250;

/** Receives from a queue with several consumers, so that one slow message does not hold the rest. */
export function consumeQueue(options: Options): QueueConsumer {
  const { sqs, queueUrl, queue, concurrency, handle, onOutcome, log } = options;
  const deletions = createDeletions(sqs, queueUrl, log);
  const inHand = new Set<Promise<unknown>>();
  let stopping = false;
  let paused = false;

  const work = async (message: Message): Promise<undefined> => {
    if (stopping || paused) {
      await giveBack(message, pollsEndSeconds);
      return undefined;
    }
    noteReceived(options.received, message);
    crashPoint('after-message-received');
    const disposition = await handle(toReceived(queue, message));
    onOutcome?.(disposition);
    if (disposition.kind === 'done') deletions.add(message);
    else await giveBack(message, disposition.seconds);
    return undefined;
  };
  const giveBack = async (message: Message, afterSeconds: number): Promise<void> => {
    const seconds = Math.min(afterSeconds, 12 * 60 * 60);
    const input = {
      QueueUrl: queueUrl,
      ReceiptHandle: message.ReceiptHandle,
      VisibilityTimeout: seconds,
    };
    await sqs.send(new ChangeMessageVisibilityCommand(input));
  };
  const track = async (message: Message): Promise<undefined> => {
    const running = work(message).catch((error: unknown) => {
      log.error(
        { err: error, queue, sqsMessageId: message.MessageId },
        'message left in the queue',
      );
    });
    inHand.add(running);
    await running.finally(() => inHand.delete(running));
    return undefined;
  };
  const consumers = Array.from({ length: Math.ceil(concurrency / perConsumer) }, () =>
    createConsumer(options, Math.min(perConsumer, concurrency), track),
  );
  return {
    start() {
      paused = false;
      options.received?.resume();
      for (const consumer of consumers) startWhenIdle(consumer, () => !paused && !stopping);
    },
    pause() {
      paused = true;
      for (const consumer of consumers) consumer.stop();
    },
    async stop(graceMs) {
      stopping = true;
      const deadline = Date.now() + graceMs;
      // An open poll ends by itself; one that was paused before says nothing more.
      const pollsEnd = Math.max(deadline, Date.now() + pollsEndSeconds * 1_000);
      await settledBy(pollsEnd, () => Promise.all(consumers.map((consumer) => stopped(consumer))));
      await settledBy(deadline, () => Promise.all(inHand));
      await settledBy(deadline + 2_000, () => deletions.drain());
    },
  };
}

/** The handler deletes by itself, so it acknowledges nothing: it always gives undefined. */
function createConsumer(
  { sqs, queueUrl, queue, log }: Options,
  batchSize: number,
  handleMessage: (message: Message) => Promise<undefined>,
): Consumer {
  const consumer = Consumer.create({
    sqs,
    queueUrl,
    batchSize,
    visibilityTimeout: visibilitySeconds,
    heartbeatInterval: heartbeatSeconds,
    waitTimeSeconds: waitSeconds,
    messageAttributeNames: ['All'],
    messageSystemAttributeNames: ['ApproximateReceiveCount', 'SentTimestamp', 'MessageGroupId'],
    pollingCompleteWaitTimeMs: pollsEndSeconds * 1_000,
    handleMessage,
  });
  // Without a pause it would poll a dead queue hundreds of times a second.
  const pauseOnError = (error: Error): void => {
    log.error({ err: error, queue }, 'queue');
    consumer.updateOption('pollingWaitTimeMs', 1_000);
  };
  consumer.on('error', pauseOnError);
  consumer.on('processing_error', pauseOnError);
  consumer.on('timeout_error', pauseOnError);
  const atFullSpeed = (): void => consumer.updateOption('pollingWaitTimeMs', 0);
  consumer.on('response_processed', atFullSpeed);
  consumer.on('empty', atFullSpeed);
  return consumer;
}

/** Started while its last poll is still open, a consumer would poll twice for ever (sqs-consumer 15.0.3). */
function startWhenIdle(consumer: Consumer, isWanted: () => boolean): void {
  if (!isWanted() || consumer.status.isRunning) return;
  if (consumer.status.isPolling) setTimeout(() => startWhenIdle(consumer, isWanted), 100);
  else consumer.start();
}

async function stopped(consumer: Consumer): Promise<void> {
  if (!consumer.status.isRunning && !consumer.status.isPolling) return;
  const done = new Promise<void>((resolve) => {
    consumer.once('stopped', () => resolve());
  });
  consumer.stop();
  await done;
}

async function settledBy(deadline: number, work: () => Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, deadline - Date.now()));
  });
  await Promise.race([work(), late]);
  clearTimeout(timer);
}

const createDeletions = (sqs: SQSClient, queueUrl: string, log: Logger) =>
  createMicroBatch<Message>({
    maxItems: 10,
    maxInFlight: 4,
    gatherMs: deletionsGatherMs,
    flush: async (messages) => {
      try {
        const Entries = messages.map((message, index) => ({
          Id: String(index),
          ReceiptHandle: message.ReceiptHandle,
        }));
        crashPoint('before-delete-message');
        const answer = await sqs.send(
          new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }),
        );
        crashPoint('after-delete-message');
        if (answer.Failed?.length) log.warn({ failed: answer.Failed }, 'messages not deleted');
      } catch (error) {
        // They come back, and the inbox knows them.
        log.warn({ err: error, messages: messages.length }, 'messages not deleted');
      }
    },
  });

function noteReceived(received: ReceivedGroups | undefined, { Attributes }: Message): void {
  const sent = Number(Attributes?.SentTimestamp);
  if (Number.isFinite(sent)) received?.receive(Attributes?.MessageGroupId, new Date(sent));
}

const toReceived = (queue: ReceivedMessage['queue'], message: Message): ReceivedMessage => ({
  queue,
  sqsMessageId: message.MessageId ?? '',
  body: message.Body ?? '',
  attributes: {
    ...message.Attributes,
    ...Object.fromEntries(
      Object.entries(message.MessageAttributes ?? {}).map(([name, value]) => [
        name,
        value.StringValue ?? '',
      ]),
    ),
  },
  receiveCount: Number(message.Attributes?.ApproximateReceiveCount ?? 1),
});
