import { Type } from 'typebox';
import { requestCancel } from '../../jobs/stop.ts';
import { findIrrevocableEffects } from '../../jobs/store/list-effects.ts';
import type { Api, RouteDeps } from '../api.ts';
import { actorOf, callerOf } from '../authenticate.ts';
import { jobNotFound, requestedJobId } from '../find-requested-job.ts';
import { Problem } from '../problems.ts';
import { linksOf } from '../represent-job.ts';
import { jobId, jobParams, links, problemResponses, status } from '../schemas.ts';

const reasonText = Type.String({ minLength: 1, maxLength: 1000 });

/** POST /jobs/:jobId/cancel: the job does nothing more; what it has done elsewhere stays done, and is told. */
export function postCancel(api: Api, { sql, relay }: RouteDeps): void {
  api.post(
    '/jobs/:jobId/cancel',
    {
      config: { scope: 'jobs:write' },
      schema: {
        operationId: 'cancelJob',
        tags: ['jobs'],
        summary: 'Cancel a job',
        description:
          'Stops the job and its execution. Calls that were made to other systems are not undone: they are listed in `notUndone`. Cancelling again is fine.',
        params: jobParams,
        body: Type.Union([
          Type.Object({ reason: Type.Optional(reasonText) }, { additionalProperties: false }),
          Type.Null(),
        ]),
        response: {
          202: Type.Object({
            jobId,
            status,
            notUndone: Type.Array(
              Type.Object({
                effectKey: Type.String(),
                provider: Type.String(),
                operation: Type.String(),
                status: Type.String({
                  description: 'COMPLETED, or not known yet: CALLING, UNKNOWN',
                }),
              }),
            ),
            links,
          }),
          ...problemResponses,
        },
      },
    },
    async (request, reply) => {
      const stopped = await requestCancel(sql, {
        jobId: requestedJobId(request.params),
        tenantId: callerOf(request).tenantId ?? undefined,
        actor: actorOf(request),
        reason: request.body?.reason ?? 'cancelled by its client',
        producer: 'api',
      });
      if (stopped.outcome === 'not-found') throw jobNotFound();
      const { job } = stopped;
      if (stopped.outcome === 'final') {
        throw new Problem('job-already-final', {
          detail: `the job is ${job.status}; nothing was changed`,
          jobStatus: job.status,
        });
      }
      if (stopped.outcome === 'begun') {
        throw new Problem('job-has-begun', {
          detail: `the job is ${job.status}; it ends by itself, and undoes what it has begun where it cannot be done`,
          jobStatus: job.status,
        });
      }
      if (stopped.outcome === 'stopped') relay.publishSoon(stopped.row);
      const notUndone = await findIrrevocableEffects(sql, job.jobId);
      return reply
        .code(202)
        .send({ jobId: job.jobId, status: job.status, notUndone, links: linksOf(job.jobId) });
    },
  );
}
