import type { buildApp } from 'fauxqs';
import type { SqsStore } from '../../node_modules/fauxqs/dist/sqs/sqsStore.js';

/**
 * Puts messages back that ReceiveMessage took for a client that had gone away meanwhile.
 *
 * fauxqs keeps the long poll of a dead client: the next message would be handed to nobody, stay invisible for its whole
 * visibility timeout, and have lost one of the receives that lead to the dead-letter queue.
 */
export function giveBackUndelivered(app: ReturnType<typeof buildApp>, sqs: SqsStore): void {
  app.addHook('onSend', (request, _reply, payload, done) => {
    if (
      request.raw.socket.destroyed &&
      request.headers['x-amz-target'] === 'AmazonSQS.ReceiveMessage'
    ) {
      giveBack(sqs, request.body, payload);
    }
    done();
  });
}

function giveBack(sqs: SqsStore, requestBody: unknown, payload: unknown): void {
  const queueUrl = field(requestBody, 'QueueUrl');
  const queue = typeof queueUrl === 'string' ? sqs.getQueue(queueUrl) : undefined;
  const answer: unknown = typeof payload === 'string' ? JSON.parse(payload) : payload;
  const messages = field(answer, 'Messages');
  if (!queue || !Array.isArray(messages)) return;
  for (const message of messages) {
    const receiptHandle = field(message, 'ReceiptHandle');
    if (typeof receiptHandle !== 'string') continue;
    const inFlight = queue.inflightMessages.get(receiptHandle);
    if (!inFlight) continue;
    inFlight.message.approximateReceiveCount -= 1;
    queue.changeVisibility(receiptHandle, 0);
  }
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
