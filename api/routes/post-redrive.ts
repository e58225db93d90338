import { Type } from 'typebox';
import { requestRedrive } from '../../jobs/redrive.ts';
import type { Api, RouteDeps } from '../api.ts';
import { actorOf, callerOf } from '../authenticate.ts';
import { jobNotFound, requestedJobId } from '../find-requested-job.ts';
import { Problem } from '../problems.ts';
import { linksOf } from '../represent-job.ts';
import { jobId, jobParams, links, problemResponses, status, time } from '../schemas.ts';

/** POST /jobs/:jobId/redrive: the next run of a job that failed, was cancelled or has expired. */
export function postRedrive(api: Api, { sql, relay, clock }: RouteDeps): void {
  api.post(
    '/jobs/:jobId/redrive',
    {
      config: { scope: 'ops' },
      schema: {
        operationId: 'redriveJob',
        tags: ['operations'],
        summary: 'Redrive a job',
        params: jobParams,
        body: Type.Union([
          Type.Object(
            {
              mode: Type.Optional(Type.Enum(['resume', 'restart', 'auto'])),
              reason: Type.Optional(Type.String({ minLength: 1, maxLength: 1000 })),
              expiresAt: Type.Optional(time),
            },
            { additionalProperties: false },
          ),
          Type.Null(),
        ]),
        response: {
          202: Type.Object({ jobId, status, run: Type.Integer(), links }),
          ...problemResponses,
        },
      },
    },
    async (request, reply) => {
      const { mode = 'auto', reason = 'redriven by an operator', expiresAt } = request.body ?? {};
      const deadline = expiresAt === undefined ? null : new Date(expiresAt);
      if (deadline !== null && !(deadline > clock())) {
        throw new Problem('expired-already', { detail: 'expiresAt must lie in the future' });
      }
      const redriven = await requestRedrive(sql, {
        jobId: requestedJobId(request.params),
        tenantId: callerOf(request).tenantId ?? undefined,
        actor: actorOf(request),
        mode,
        reason,
        expiresAt: deadline,
      });
      if (redriven.outcome === 'not-found') throw jobNotFound();
      const { job } = redriven;
      if (redriven.outcome === 'not-redrivable') {
        throw new Problem('job-not-redrivable', {
          detail: `the job is ${job.status}`,
          jobStatus: job.status,
        });
      }
      if (redriven.outcome === 'unique-key-taken') {
        throw new Problem('unique-key-taken', {
          detail: 'another open job has its uniqueKey: redrive it when that one has ended',
        });
      }
      if (redriven.row !== undefined) relay.publishSoon(redriven.row);
      return reply
        .code(202)
        .header('location', `/jobs/${job.jobId}`)
        .send({ jobId: job.jobId, status: job.status, run: job.run, links: linksOf(job.jobId) });
    },
  );
}
