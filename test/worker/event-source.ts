import {
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';

type Options = {
  readonly sqs: SQSClient;
  readonly queueUrl: string;
  /** Gives what the function answered. */
  readonly invoke: (event: unknown) => Promise<unknown>;
};

/** Batches that are in hand at the same time: the least that `MaximumConcurrency` may be. */
const batchesAtOnce = 2;

/**
 * What Lambda's event source mapping does with `ReportBatchItemFailures`: receives up to ten messages, invokes the function,
 * deletes what it did not name (https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html). A batch whose
 * invocation fails comes back as a whole.
 */
export function startEventSource(options: Options): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const poll = async (): Promise<void> => {
    while (!stopping.signal.aborted)
      await turn(options).catch((error: unknown) => console.error(error));
  };
  const polls = Array.from({ length: batchesAtOnce }, poll);
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(polls);
    },
  };
}

async function turn({ sqs, queueUrl, invoke }: Options): Promise<void> {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      MaxNumberOfMessages: 10,
      WaitTimeSeconds: 1,
      MessageAttributeNames: ['All'],
      MessageSystemAttributeNames: ['All'],
    }),
  );
  if (Messages.length === 0) return;
  const failed = failuresOf(await invoke({ Records: Messages.map(toRecord) }));
  for (const { MessageId = '', ReceiptHandle } of Messages) {
    if (!failed.has(MessageId))
      await sqs.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle }));
  }
}

/** What the event source mapping hands over for a message. */
export const toRecord = (message: Message) => ({
  messageId: message.MessageId ?? '',
  receiptHandle: message.ReceiptHandle ?? '',
  body: message.Body ?? '',
  attributes: message.Attributes ?? {},
  messageAttributes: Object.fromEntries(
    Object.entries(message.MessageAttributes ?? {}).map(([name, { DataType, StringValue }]) => [
      name,
      { dataType: DataType ?? 'String', stringValue: StringValue },
    ]),
  ),
  eventSource: 'aws:sqs',
});

function failuresOf(answer: unknown): ReadonlySet<string> {
  const { batchItemFailures } = answer as {
    batchItemFailures: readonly { itemIdentifier: string }[];
  };
  return new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
}
