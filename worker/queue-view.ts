import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';

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
