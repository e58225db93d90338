import { Type } from 'typebox';
import { callbackAnswer } from '../../../jobs/callback-answer.ts';
import { parseCallbackId } from '../../../jobs/ids.ts';
import { findHeldAnswers, resolveHeldAnswer } from '../../../jobs/store/held-answers.ts';
import { audited } from '../../../jobs/store/operator-actions.ts';
import type { Api, RouteDeps } from '../../api.ts';
import { actorOf } from '../../authenticate.ts';
import { Problem } from '../../problems.ts';
import { orNull, problemResponses, time } from '../../schemas.ts';
import { reason } from './operator-reason.ts';

/** As it was stored, which may have been before an answer had all of these: one that lacks some hides no other. */
const storedAnswer = Type.Partial(callbackAnswer);

const heldAnswer = Type.Object({
  callbackId: Type.String(),
  tenantId: Type.String(),
  jobId: Type.String(),
  jobStatus: Type.String(),
  provider: Type.String(),
  effectKey: Type.String(),
  answer: storedAnswer,
  contradiction: orNull(storedAnswer),
  settledAs: orNull(Type.String({ description: 'what the job went on with' })),
  heldAt: time,
  heldReason: Type.String(),
});

/** GET /ops/callbacks: providers' answers that nothing will read; POST …/resolve takes one off the list. */
export function callbacks(api: Api, { sql }: RouteDeps): void {
  const config = { scope: 'ops' } as const;
  const tags = ['operations'];
  api.get(
    '/ops/callbacks',
    {
      config,
      schema: {
        operationId: 'listHeldAnswers',
        tags,
        summary: 'List answers of providers that a person has to look at',
        response: { 200: Type.Object({ callbacks: Type.Array(heldAnswer) }), ...problemResponses },
      },
    },
    async () => ({
      callbacks: (await findHeldAnswers(sql)).map((held) => ({
        ...held,
        heldAt: held.heldAt.toISOString(),
      })),
    }),
  );
  api.post(
    '/ops/callbacks/:callbackId/resolve',
    {
      config,
      schema: {
        operationId: 'resolveHeldAnswer',
        tags,
        summary: 'Say that a held answer has been dealt with',
        description:
          'The answer stays where it is. Money that came in for a job that is over is refunded at the provider, or the job is redriven, before this is called.',
        params: Type.Object({ callbackId: Type.String({ maxLength: 100 }) }),
        body: Type.Object({ reason }, { additionalProperties: false }),
        response: { 200: Type.Object({ resolved: Type.Boolean() }), ...problemResponses },
      },
    },
    async (request) => {
      const callbackId = parseCallbackId(request.params.callbackId);
      if (callbackId === undefined) throw new Problem('callback-not-found');
      const resolved = await audited(
        sql,
        {
          actor: actorOf(request),
          action: 'callback.resolve',
          target: `callback/${callbackId}`,
          reason: request.body.reason,
          details: {},
        },
        async () => await resolveHeldAnswer(sql, callbackId),
        (done) => (done ? 'resolved' : 'refused: it is not held'),
      );
      if (!resolved) throw new Problem('callback-not-found', { detail: 'no answer is held there' });
      return { resolved };
    },
  );
}
