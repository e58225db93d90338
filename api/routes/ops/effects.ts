import { Type } from 'typebox';
import { parseEffectId } from '../../../jobs/ids.ts';
import {
  findEffect,
  findEffectsOfJob,
  findOpenEffects,
  openEffectStatuses,
} from '../../../jobs/store/find-effects.ts';
import { audited } from '../../../jobs/store/operator-actions.ts';
import { resolveEffect } from '../../../jobs/store/resolve-effect.ts';
import type { Api, RouteDeps } from '../../api.ts';
import { actorOf, scopeOf } from '../../authenticate.ts';
import { findRequestedJob } from '../../find-requested-job.ts';
import { Problem } from '../../problems.ts';
import { jobParams, problemResponses } from '../../schemas.ts';
import { effect, representEffect } from './effect-schema.ts';
import { reason } from './operator-reason.ts';

/** GET /ops/effects, GET /jobs/:jobId/effects and POST /effects/:effectId/resolve. */
export function effects(api: Api, { sql }: RouteDeps): void {
  const config = { scope: 'ops' } as const;
  const tags = ['operations'];
  const listed = { 200: Type.Object({ effects: Type.Array(effect) }), ...problemResponses };
  api.get(
    '/ops/effects',
    {
      config,
      schema: {
        operationId: 'listOpenEffects',
        tags,
        summary: 'List effects that are not done; by default those whose outcome is unknown',
        querystring: Type.Object(
          {
            status: Type.Optional(Type.Enum([...openEffectStatuses])),
            limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
            offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000, default: 0 })),
          },
          { additionalProperties: false },
        ),
        response: listed,
      },
    },
    async (request) => {
      const { status = 'UNKNOWN', limit = 50, offset = 0 } = request.query;
      const found = await findOpenEffects(sql, { status, limit, offset });
      return { effects: found.map(representEffect) };
    },
  );
  api.get(
    '/jobs/:jobId/effects',
    {
      config,
      schema: {
        operationId: 'listEffects',
        tags,
        summary: 'See what a job did to other systems',
        params: jobParams,
        response: listed,
      },
    },
    async (request) => {
      const job = await findRequestedJob(sql, request);
      return { effects: (await findEffectsOfJob(sql, job.jobId)).map(representEffect) };
    },
  );
  api.post(
    '/effects/:effectId/resolve',
    {
      config,
      schema: {
        operationId: 'resolveEffect',
        tags,
        summary: 'Say what became of an effect whose outcome is unknown',
        description:
          'completed: it was done. not-done: it may be called. abandon: it is never called again. The job goes on by a redrive.',
        params: Type.Object({ effectId: Type.String({ maxLength: 100 }) }),
        body: Type.Object(
          {
            verdict: Type.Enum(['completed', 'not-done', 'abandon']),
            providerReference: Type.Optional(
              Type.String({ minLength: 1, maxLength: 500, pattern: '^[^\\x00]+$' }),
            ),
            reason,
          },
          { additionalProperties: false },
        ),
        response: { 200: effect, ...problemResponses },
      },
    },
    async (request) => {
      const { verdict, providerReference = null, reason: why } = request.body;
      if (providerReference !== null && verdict !== 'completed') {
        throw new Problem('invalid-request', {
          in: 'body',
          errors: [{ pointer: '/providerReference', message: 'goes with the verdict completed' }],
        });
      }
      const effectId = parseEffectId(request.params.effectId);
      const before =
        effectId === undefined ? undefined : await findEffect(sql, effectId, scopeOf(request));
      if (before === undefined) throw new Problem('effect-not-found');
      const actor = actorOf(request);
      const resolved = await audited(
        sql,
        {
          actor,
          action: 'effect.resolve',
          target: `effect/${before.effectId}`,
          jobId: before.jobId,
          reason: why,
          details: { verdict, providerReference, effectKey: before.effectKey, from: before.status },
        },
        async () =>
          await resolveEffect(sql, before.effectId, {
            verdict,
            providerReference,
            reason: why,
            actor,
          }),
        (jobId) => (jobId === undefined ? 'refused: its outcome is not unknown' : verdict),
      );
      const after = await findEffect(sql, before.effectId, scopeOf(request));
      if (resolved === undefined || after === undefined) {
        throw new Problem('effect-not-held', {
          detail: `the effect is ${after?.status ?? before.status}; nothing was changed`,
        });
      }
      return representEffect(after);
    },
  );
}
