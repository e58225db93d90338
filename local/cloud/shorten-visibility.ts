import type { buildApp } from 'fauxqs';

/**
 * Time compressed, for tests that kill consumers: a message that was received comes back after `longestSeconds`, however
 * much longer its consumer asked for, unless that one prolongs it. Not in dead-letter queues: they are looked through by
 * receiving all that is in them.
 */
export function shortenVisibility(app: ReturnType<typeof buildApp>, longestSeconds: number): void {
  app.addHook('preHandler', (request, _reply, done) => {
    const { body } = request;
    if (
      request.headers['x-amz-target'] === 'AmazonSQS.ReceiveMessage' &&
      typeof body === 'object' &&
      body !== null &&
      !String(Reflect.get(body, 'QueueUrl')).endsWith('-dlq') &&
      Number(Reflect.get(body, 'VisibilityTimeout')) > longestSeconds
    ) {
      Reflect.set(body, 'VisibilityTimeout', longestSeconds);
    }
    done();
  });
}
