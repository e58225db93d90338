import { type Static, Type } from 'typebox';
import { discardDeadLetters, redriveDeadLetters, type Taken } from '../../../jobs/dead-letters.ts';
import { listDeadLetters } from '../../../jobs/list-dead-letters.ts';
import { messageNameOf } from '../../../jobs/message-name.ts';
import { queuePairs } from '../../../jobs/queue-status.ts';
import { quarantiningQueues } from '../../../jobs/store/quarantine.ts';
import { releaseJobs } from '../../../jobs/store/held-jobs.ts';
import { audited } from '../../../jobs/store/operator-actions.ts';
import { keepDiscarded } from '../../../jobs/store/keep-discarded.ts';
import type { Api, RouteDeps } from '../../api.ts';
import { actorOf } from '../../authenticate.ts';
import { Problem } from '../../problems.ts';
import { orNull, problemResponses, time } from '../../schemas.ts';
import { mostAtOnce, reason, timeLimitMs } from './operator-reason.ts';
import { chosenOf } from './chosen.ts';

const queue = Type.Enum([...quarantiningQueues]);

const deadLetter = Type.Object({
  messageId: Type.String(),
  body: Type.String(),
  attributes: Type.Record(Type.String(), Type.String()),
  receiveCount: Type.Integer(),
  firstSeenAt: orNull(time),
  lastSeenAt: orNull(time),
  reason: Type.String(),
  jobId: orNull(Type.String()),
  jobStatus: orNull(Type.String()),
});

const choice = Type.Object(
  {
    queue,
    all: Type.Optional(Type.Literal(true)),
    messageIds: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        minItems: 1,
        maxItems: mostAtOnce,
      }),
    ),
    reason,
  },
  { additionalProperties: false, description: 'either `messageIds` or `all`' },
);

const done = Type.Object({
  messageIds: Type.Array(Type.String()),
  more: Type.Boolean({ description: 'some are left that were meant: ask again' }),
});

/** GET /ops/dlq, POST /ops/dlq/redrive and /ops/dlq/discard. */
export function deadLetters(api: Api, { sql, operations }: RouteDeps): void {
  const { sqs, queues } = operations;
  const config = { scope: 'ops' } as const;
  const tags = ['operations'];
  const urlsOf = (source: Static<typeof queue>): { source: string; dlq: string } => {
    const pair = queuePairs(queues).find(({ name }) => name === source);
    if (pair?.dlqUrl === undefined) {
      throw new Problem('not-found', { detail: `the queue ${source}-dlq is not configured here` });
    }
    return { source: pair.url, dlq: pair.dlqUrl };
  };
  api.get(
    '/ops/dlq',
    {
      config,
      schema: {
        operationId: 'listDeadLetters',
        tags,
        summary: 'List the messages of a dead-letter queue',
        description:
          'SQS has no peeking: a look receives the messages and gives them back at once.',
        querystring: Type.Object(
          {
            queue: Type.Optional(queue),
            limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
          },
          { additionalProperties: false },
        ),
        response: {
          200: Type.Object({ queue, messages: Type.Array(deadLetter) }),
          ...problemResponses,
        },
      },
    },
    async (request) => {
      const { queue: source = 'job-requests', limit = 50 } = request.query;
      const messages = await listDeadLetters({ sql, sqs }, urlsOf(source).dlq, limit);
      return {
        queue: source,
        messages: messages.map((message) => ({
          ...message,
          attributes: { ...message.attributes },
          firstSeenAt: message.firstSeenAt?.toISOString() ?? null,
          lastSeenAt: message.lastSeenAt?.toISOString() ?? null,
        })),
      };
    },
  );
  const schemaOf = (operationId: string, summary: string) => ({
    operationId,
    tags,
    summary,
    body: choice,
    response: { 200: done, ...problemResponses },
  });
  api.post(
    '/ops/dlq/redrive',
    { config, schema: schemaOf('redriveDeadLetters', 'Send dead letters to their queue again') },
    async (request) => {
      const { queue: source, reason: why, ...chosen } = request.body;
      const messageIds = chosenOf(chosen.messageIds, chosen.all, '/messageIds');
      const urls = urlsOf(source);
      const taken = await audited(
        sql,
        {
          actor: actorOf(request),
          action: 'dlq.redrive',
          target: `queue/${source}-dlq`,
          reason: why,
          details: { chosen },
        },
        async () => {
          const sent = await redriveDeadLetters(sqs, urls, {
            messageIds,
            limit: mostAtOnce,
            timeLimitMs,
          });
          const names = sent.taken.flatMap(({ Body = '' }) => messageNameOf(Body) ?? []);
          await releaseJobs(sql, names);
          return sent;
        },
        ({ taken: sent }) => `${sent.length} sent to ${source}`,
      );
      return represent(taken);
    },
  );
  api.post(
    '/ops/dlq/discard',
    { config, schema: schemaOf('discardDeadLetters', 'Take dead letters out of their queue') },
    async (request) => {
      const { queue: source, reason: why, ...chosen } = request.body;
      const messageIds = chosenOf(chosen.messageIds, chosen.all, '/messageIds');
      const actor = actorOf(request);
      const taken = await audited(
        sql,
        {
          actor,
          action: 'dlq.discard',
          target: `queue/${source}-dlq`,
          reason: why,
          details: { chosen },
        },
        async () =>
          await discardDeadLetters(
            sqs,
            urlsOf(source).dlq,
            { messageIds, limit: mostAtOnce, timeLimitMs },
            async (message) => await keepDiscarded(sql, source, message, { actor, reason: why }),
          ),
        ({ taken: gone }) => `${gone.length} discarded`,
      );
      return represent(taken);
    },
  );
}

const represent = ({ taken, more }: Taken): Static<typeof done> => ({
  messageIds: taken.map(({ MessageId = '' }) => MessageId),
  more,
});
