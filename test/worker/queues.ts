import { after } from 'node:test';
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SendMessageBatchCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { startCloud } from '../support/start-cloud.ts';

export const account = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
};

export type TestQueues = {
  readonly sqs: SQSClient;
  readonly endpoint: string;
  readonly urlOf: (name: string) => string;
  /** A queue with a dead-letter queue behind it, as Pawl's are. */
  create(name: string): Promise<{ readonly url: string; readonly dlqUrl: string }>;
  send(url: string, bodies: readonly string[]): Promise<void>;
  /** Messages that are visible, and those that somebody has in hand. */
  counts(url: string): Promise<{ readonly visible: number; readonly inHand: number }>;
};

/** The queues of the stand-in, in a process of their own. */
export async function startQueues(env: Readonly<Record<string, string>> = {}): Promise<TestQueues> {
  const cloud = await startCloud(env);
  const sqs = new SQSClient({ ...account, endpoint: cloud.endpoint, useQueueUrlAsEndpoint: false });
  after(async () => {
    sqs.destroy();
    await cloud.stop();
  });
  const urlOf = (name: string): string => `${cloud.endpoint}/000000000000/${name}`;
  return {
    sqs,
    endpoint: cloud.endpoint,
    urlOf,
    async create(name) {
      await sqs.send(new CreateQueueCommand({ QueueName: `${name}-dlq` }));
      const deadLetterTargetArn = `arn:aws:sqs:us-east-1:000000000000:${name}-dlq`;
      await sqs.send(
        new CreateQueueCommand({
          QueueName: name,
          Attributes: {
            VisibilityTimeout: '30',
            RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 5 }),
          },
        }),
      );
      return { url: urlOf(name), dlqUrl: urlOf(`${name}-dlq`) };
    },
    async send(url, bodies) {
      for (let start = 0; start < bodies.length; start += 10) {
        const Entries = bodies
          .slice(start, start + 10)
          .map((MessageBody, index) => ({ Id: String(index), MessageBody }));
        await sqs.send(new SendMessageBatchCommand({ QueueUrl: url, Entries }));
      }
    },
    async counts(url) {
      const { Attributes = {} } = await sqs.send(
        new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['All'] }),
      );
      return {
        visible: Number(Attributes.ApproximateNumberOfMessages),
        inHand: Number(Attributes.ApproximateNumberOfMessagesNotVisible),
      };
    },
  };
}
