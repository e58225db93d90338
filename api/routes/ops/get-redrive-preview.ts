import { Type } from 'typebox';
import { isCompensated } from '../../../jobs/failure-codes.ts';
import { previewRedrive } from '../../../jobs/redrive-preview.ts';
import { findEffectsOfJob } from '../../../jobs/store/find-effects.ts';
import type { Api, RouteDeps } from '../../api.ts';
import { findRequestedJob } from '../../find-requested-job.ts';
import { jobParams, orNull, problemResponses, status, time } from '../../schemas.ts';
import { effect, representEffect } from './effect-schema.ts';
import { executionArnOf } from './execution-arn.ts';

const names = Type.Array(Type.String());

const response = Type.Object({
  status,
  run: Type.Integer(),
  redrivable: Type.Boolean({
    description: 'POST would be taken: the job is FAILED, CANCELLED or EXPIRED',
  }),
  auto: orNull(
    Type.Enum(['resume', 'restart'], { description: 'what mode auto would do; null: nothing' }),
  ),
  resume: Type.Object({
    allowed: Type.Boolean(),
    reason: orNull(Type.String({ description: 'why it may not be resumed, in AWS’s words' })),
    until: orNull(time),
    statesAgain: names,
    statesAfter: names,
    truncated: Type.Boolean(),
  }),
  restart: Type.Object({ statesAgain: names }),
  definitionChanged: orNull(
    Type.Boolean({
      description: 'resume runs the recorded definition, restart the current one; null: not known',
    }),
  ),
  effects: Type.Object({
    done: Type.Array(effect, { description: 'are not repeated' }),
    open: Type.Array(effect, { description: 'are called, or called again' }),
    unknown: Type.Array(effect, { description: 'have to be resolved by a person first' }),
  }),
});

const redrivable = new Set(['FAILED', 'CANCELLED', 'EXPIRED']);

/** GET /jobs/:jobId/redrive: what a redrive would do, before it is done. */
export function getRedrivePreview(api: Api, { sql, operations }: RouteDeps): void {
  api.get(
    '/jobs/:jobId/redrive',
    {
      config: { scope: 'ops' },
      schema: {
        operationId: 'previewRedrive',
        tags: ['operations'],
        summary: 'Preview a redrive',
        params: jobParams,
        response: { 200: response, ...problemResponses },
      },
    },
    async (request) => {
      const job = await findRequestedJob(sql, request);
      const [preview, effects] = await Promise.all([
        previewRedrive(operations.sfn, {
          execution: executionArnOf(operations, job),
          stateMachine: `${operations.stateMachineArnPrefix}${job.type}`,
        }),
        findEffectsOfJob(sql, job.jobId),
      ]);
      const { resume } = preview;
      const taken = redrivable.has(job.status);
      const compensated = job.failure !== null && isCompensated(job.failure.code);
      const mode = resume.allowed && !compensated ? ('resume' as const) : ('restart' as const);
      const having = (...statuses: readonly string[]) =>
        effects.filter((found) => statuses.includes(found.status)).map(representEffect);
      return {
        status: job.status,
        run: job.run,
        redrivable: taken,
        auto: taken ? mode : null,
        resume: {
          ...resume,
          until: resume.until?.toISOString() ?? null,
          statesAgain: [...resume.statesAgain],
          statesAfter: [...resume.statesAfter],
        },
        restart: { statesAgain: [...preview.restart.statesAgain] },
        definitionChanged: preview.definitionChanged,
        effects: {
          done: having('COMPLETED', 'ABANDONED'),
          open: having('INTENDED', 'CALLING', 'REJECTED'),
          unknown: having('UNKNOWN'),
        },
      };
    },
  );
}
