import { Type } from 'typebox';
import { listWaitingMessages } from '../../../jobs/store/list-outbox.ts';
import { outboxLag } from '../../../jobs/store/outbox.ts';
import type { Api, RouteDeps } from '../../api.ts';
import { orNull, problemResponses, time } from '../../schemas.ts';

const waiting = Type.Object({
  messageId: Type.String(),
  tenantId: Type.String(),
  destination: Type.String(),
  messageType: Type.String(),
  jobId: orNull(Type.String()),
  attempts: Type.Integer(),
  nextAttemptAt: time,
  lastError: orNull(Type.String()),
  createdAt: time,
});

/** GET /ops/outbox: what is not published yet, with how often it was tried and what the last error was. */
export function getOutbox(api: Api, { sql }: RouteDeps): void {
  api.get(
    '/ops/outbox',
    {
      config: { scope: 'ops' },
      schema: {
        operationId: 'getOutbox',
        tags: ['operations'],
        summary: 'See the messages that wait to be sent',
        querystring: Type.Object(
          { limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 50 })) },
          { additionalProperties: false },
        ),
        response: {
          200: Type.Object({
            due: Type.Integer({ description: 'due and not sent' }),
            oldestSeconds: Type.Number({ description: 'for how long the oldest has been due' }),
            messages: Type.Array(waiting),
          }),
          ...problemResponses,
        },
      },
    },
    async (request) => {
      const { limit = 50 } = request.query;
      const [lag, messages] = await Promise.all([outboxLag(sql), listWaitingMessages(sql, limit)]);
      return {
        due: lag.waiting,
        oldestSeconds: lag.oldestSeconds,
        messages: messages.map((message) => ({
          ...message,
          nextAttemptAt: message.nextAttemptAt.toISOString(),
          createdAt: message.createdAt.toISOString(),
        })),
      };
    },
  );
}
