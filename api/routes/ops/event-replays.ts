import { type Static, Type } from 'typebox';
import {
  cancelReplay,
  listReplays,
  type Replay,
  type ReplayDeps,
  startReplay,
} from '../../../jobs/events/replays.ts';
import { Terminal } from '../../../jobs/failure.ts';
import { audited } from '../../../jobs/store/operator-actions.ts';
import type { Api, RouteDeps } from '../../api.ts';
import { actorOf } from '../../authenticate.ts';
import { Problem, type ProblemCode } from '../../problems.ts';
import { orNull, problemResponses, queryTime, time } from '../../schemas.ts';
import { reason } from './operator-reason.ts';

const name = Type.String({
  maxLength: 64,
  pattern: '^[.\\-_A-Za-z0-9]+$',
  description: 'as events carry it in replay-name',
});
const rule = Type.String({ maxLength: 64, pattern: '^[.\\-_A-Za-z0-9]+$' });

const replay = Type.Object({
  name: Type.String(),
  state: Type.String({
    description: 'STARTING, RUNNING, CANCELLING, COMPLETED, CANCELLED or FAILED',
  }),
  stateReason: orNull(Type.String()),
  from: orNull(time),
  to: orNull(time),
  lastReplayedAt: orNull(time),
  startedAt: orNull(time),
  endedAt: orNull(time),
});

const body = Type.Object(
  {
    from: queryTime,
    to: Type.Optional(queryTime),
    rules: Type.Array(rule, {
      minItems: 1,
      maxItems: 10,
      uniqueItems: true,
      description: 'names of rules of the bus, such as pawl-search-projection',
    }),
    name: Type.Optional(name),
    reason,
  },
  { additionalProperties: false, description: '`to` is now by default' },
);

const started = Type.Object({ name: Type.String() });

/** GET /ops/events/replays, POST /ops/events/replay and /ops/events/replays/:name/cancel. */
export function eventReplays(api: Api, { sql, operations, clock }: RouteDeps): void {
  const config = { scope: 'ops' } as const;
  const tags = ['operations'];
  const deps = (): ReplayDeps => {
    const { eventBridge, eventArchive: archive } = operations;
    if (archive !== undefined) return { eventBridge, archive };
    throw new Problem('not-found', { detail: 'no archive of events is configured here' });
  };
  api.get(
    '/ops/events/replays',
    {
      config,
      schema: {
        operationId: 'listEventReplays',
        tags,
        summary: 'List replays of the archive of events, the last one first',
        response: { 200: Type.Object({ replays: Type.Array(replay) }), ...problemResponses },
      },
    },
    async () => ({ replays: (await listReplays(deps())).map(represent) }),
  );
  api.post(
    '/ops/events/replay',
    {
      config,
      schema: {
        operationId: 'replayEvents',
        tags,
        summary: 'Bring archived events to subscribers again',
        description:
          'The search projection is built anew from them; notifications are not sent again. Events reach the archive within ten minutes.',
        body,
        response: { 202: started, ...problemResponses },
      },
    },
    async (request, reply) => {
      const { rules, reason: why } = request.body;
      const now = clock();
      const from = new Date(request.body.from);
      const to = request.body.to === undefined ? now : new Date(request.body.to);
      if (from >= to || to > now) {
        throw new Problem('invalid-request', {
          in: 'body',
          errors: [
            {
              pointer: from >= to ? '/from' : '/to',
              message: from >= to ? 'is not before `to`' : 'has not come yet',
            },
          ],
        });
      }
      const replayName = request.body.name ?? nameAt(now);
      await audited(
        sql,
        {
          actor: actorOf(request),
          action: 'events.replay',
          target: `replay/${replayName}`,
          reason: why,
          details: { from: from.toISOString(), to: to.toISOString(), rules },
        },
        async () =>
          await refusedAs(replayName, async () =>
            startReplay(deps(), { name: replayName, from, to, rules, reason: why }),
          ),
        () => 'started',
      );
      return reply.code(202).send({ name: replayName });
    },
  );
  api.post(
    '/ops/events/replays/:name/cancel',
    {
      config,
      schema: {
        operationId: 'cancelEventReplay',
        tags,
        summary: 'Cancel a replay; what was replayed stays',
        params: Type.Object({ name }),
        body: Type.Object({ reason }, { additionalProperties: false }),
        response: { 202: started, ...problemResponses },
      },
    },
    async (request, reply) => {
      const { name: replayName } = request.params;
      await audited(
        sql,
        {
          actor: actorOf(request),
          action: 'events.cancel-replay',
          target: `replay/${replayName}`,
          reason: request.body.reason,
          details: {},
        },
        async () => await refusedAs(replayName, async () => await cancelReplay(deps(), replayName)),
        () => 'cancelled',
      );
      return reply.code(202).send({ name: replayName });
    },
  );
}

/** EventBridge's refusals by their names, as problems of ours. */
const refusals: Readonly<Record<string, ProblemCode>> = {
  ResourceAlreadyExistsException: 'replay-name-taken',
  ResourceNotFoundException: 'replay-target-not-found',
  IllegalStatusException: 'replay-ended',
  ValidationException: 'replay-refused',
};

async function refusedAs(replayName: string, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    const { cause } = error instanceof Terminal ? error : {};
    const code = cause instanceof Error ? refusals[cause.name] : undefined;
    if (code === undefined || !(cause instanceof Error)) throw error;
    throw new Problem(code, { detail: cause.message, replay: replayName });
  }
}

const nameAt = (now: Date): string => `pawl-${now.toISOString().replaceAll(/[:.]/g, '-')}`;

const represent = (found: Replay): Static<typeof replay> => ({
  name: found.name,
  state: found.state,
  stateReason: found.stateReason,
  from: found.from?.toISOString() ?? null,
  to: found.to?.toISOString() ?? null,
  lastReplayedAt: found.lastReplayedAt?.toISOString() ?? null,
  startedAt: found.startedAt?.toISOString() ?? null,
  endedAt: found.endedAt?.toISOString() ?? null,
});
