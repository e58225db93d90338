import { Type } from 'typebox';
import type { Api, RouteDeps } from '../api.ts';
import { representAccepted } from '../represent-job.ts';
import { acceptedJob, jobRequest, problemResponses, refTo } from '../schemas.ts';
import { idempotencyKeyOf, submitRequest } from '../submit-request.ts';

/** Four times the input that is taken: it may come with white space, or all of it as \\u escapes. */
const maxBodyBytes = 1024 * 1024;

/** POST /jobs: stores the job and its message in one statement, then answers 202. */
export function postJobs(api: Api, deps: RouteDeps): void {
  api.post(
    '/jobs',
    {
      bodyLimit: maxBodyBytes,
      config: { scope: 'jobs:write' },
      schema: {
        operationId: 'submitJob',
        tags: ['jobs'],
        summary: 'Submit a job',
        headers: Type.Object({
          'idempotency-key': Type.Optional(
            Type.String({
              description:
                'Same key and body: the same job. Same key, other body: 422. Remembered as long as the job is kept.',
            }),
          ),
        }),
        body: jobRequest,
        response: { 202: refTo(acceptedJob), ...problemResponses },
      },
    },
    async (request, reply) => {
      const key = idempotencyKeyOf(request.headers['idempotency-key']);
      const { job, replayed } = await submitRequest(deps, request, request.body, key);
      if (replayed) reply.header('idempotency-replayed', 'true');
      return reply
        .code(202)
        .header('location', `/jobs/${job.jobId}`)
        .header('retry-after', '1')
        .send(representAccepted(job));
    },
  );
}
