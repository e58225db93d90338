import { type Static, Type } from 'typebox';
import {
  discardQuarantined,
  redriveQuarantined,
  type ResolvedQuarantine,
} from '../../../jobs/quarantine-actions.ts';
import { listQuarantine, type QuarantinedMessage } from '../../../jobs/store/list-quarantine.ts';
import { audited } from '../../../jobs/store/operator-actions.ts';
import { quarantiningQueues } from '../../../jobs/store/quarantine.ts';
import type { Api, RouteDeps } from '../../api.ts';
import { actorOf } from '../../authenticate.ts';
import { orNull, problemResponses, time } from '../../schemas.ts';
import { chosenOf } from './chosen.ts';
import { mostAtOnce, reason } from './operator-reason.ts';

const queue = Type.Enum([...quarantiningQueues]);
const id = Type.String({ format: 'uuid' });
const code = Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Z_]+$' });

const quarantined = Type.Object({
  quarantineId: id,
  queue,
  sqsMessageId: Type.String(),
  body: Type.String(),
  attributes: Type.Record(Type.String(), Type.String()),
  code: Type.String(),
  reason: Type.String(),
  receiveCount: Type.Integer(),
  firstSeenAt: time,
  lastSeenAt: time,
  resolution: orNull(Type.String()),
  resolvedAt: orNull(time),
  resolvedBy: orNull(Type.String()),
});

const query = Type.Object(
  {
    queue: Type.Optional(queue),
    code: Type.Optional(code),
    resolved: Type.Optional(Type.Boolean({ default: false })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
    cursor: Type.Optional(id),
  },
  { additionalProperties: false },
);

const choice = Type.Object(
  {
    ids: Type.Optional(Type.Array(id, { minItems: 1, maxItems: mostAtOnce })),
    all: Type.Optional(Type.Literal(true)),
    queue: Type.Optional(queue),
    code: Type.Optional(code),
    reason,
  },
  {
    additionalProperties: false,
    description: 'either `ids` or `all`; `queue` and `code` narrow it down',
  },
);

const done = Type.Object({
  ids: Type.Array(Type.String()),
  more: Type.Boolean({ description: 'some are left that were meant: ask again' }),
});

/** GET /ops/quarantine, POST /ops/quarantine/redrive and /ops/quarantine/discard. */
export function quarantine(api: Api, { sql, operations }: RouteDeps): void {
  const { sqs, queues } = operations;
  const config = { scope: 'ops' } as const;
  const tags = ['operations'];
  api.get(
    '/ops/quarantine',
    {
      config,
      schema: {
        operationId: 'listQuarantine',
        tags,
        summary: 'List the messages that could never be worked on',
        querystring: query,
        response: {
          200: Type.Object({
            messages: Type.Array(quarantined),
            nextCursor: orNull(Type.String()),
          }),
          ...problemResponses,
        },
      },
    },
    async (request) => {
      const { queue: from, code: only, resolved = false, limit = 50, cursor } = request.query;
      const filter = { queue: from, code: only, resolved };
      const found = await listQuarantine(sql, filter, { limit: limit + 1, before: cursor });
      const shown = found.slice(0, limit);
      return {
        messages: shown.map(representMessage),
        nextCursor: found.length > limit ? (shown.at(-1)?.quarantineId ?? null) : null,
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
  const requestedOf = (body: Static<typeof choice>) => {
    const { ids, all, queue: from, code: only } = body;
    const chosen = chosenOf(ids, all, '/ids');
    return { ids: chosen === 'all' ? undefined : [...chosen], queue: from, code: only };
  };
  api.post(
    '/ops/quarantine/redrive',
    { config, schema: schemaOf('redriveQuarantined', 'Send quarantined messages again') },
    async (request) => {
      const { reason: why, ...chosen } = request.body;
      const filter = requestedOf(request.body);
      const actor = actorOf(request);
      const resolved = await audited(
        sql,
        {
          actor,
          action: 'quarantine.redrive',
          target: 'quarantine',
          reason: why,
          details: { chosen },
        },
        async () =>
          await redriveQuarantined({ sql, sqs, queues }, filter, { actor, limit: mostAtOnce }),
        ({ ids }) => `${ids.length} sent again`,
      );
      return represent(resolved);
    },
  );
  api.post(
    '/ops/quarantine/discard',
    { config, schema: schemaOf('discardQuarantined', 'Give quarantined messages up') },
    async (request) => {
      const { reason: why, ...chosen } = request.body;
      const filter = requestedOf(request.body);
      const actor = actorOf(request);
      const resolved = await audited(
        sql,
        {
          actor,
          action: 'quarantine.discard',
          target: 'quarantine',
          reason: why,
          details: { chosen },
        },
        async () => await discardQuarantined(sql, filter, { actor, limit: mostAtOnce }),
        ({ ids }) => `${ids.length} discarded`,
      );
      return represent(resolved);
    },
  );
}

const represent = ({ ids, more }: ResolvedQuarantine): Static<typeof done> => ({
  ids: [...ids],
  more,
});

const representMessage = (message: QuarantinedMessage): Static<typeof quarantined> => ({
  ...message,
  attributes: { ...message.attributes },
  firstSeenAt: message.firstSeenAt.toISOString(),
  lastSeenAt: message.lastSeenAt.toISOString(),
  resolvedAt: message.resolvedAt?.toISOString() ?? null,
});
