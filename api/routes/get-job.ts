import { Type } from 'typebox';
import type { Api, RouteDeps } from '../api.ts';
import { findRequestedJob } from '../find-requested-job.ts';
import { etagOf, namesEtag, representJob, retryAfterSeconds } from '../represent-job.ts';
import { job as jobSchema, jobParams, problemResponses, refTo } from '../schemas.ts';

/** GET /jobs/:jobId: the job as it is now. */
export function getJob(api: Api, { sql, clock }: RouteDeps): void {
  api.get(
    '/jobs/:jobId',
    {
      config: { scope: 'jobs:read' },
      schema: {
        operationId: 'getJob',
        tags: ['jobs'],
        summary: 'Get a job',
        params: jobParams,
        headers: Type.Object({ 'if-none-match': Type.Optional(Type.String()) }),
        response: {
          200: refTo(jobSchema),
          304: Type.Null({ description: 'Nothing has changed since this ETag' }),
          ...problemResponses,
        },
      },
    },
    async (request, reply) => {
      const job = await findRequestedJob(sql, request);
      const etag = etagOf(job);
      const pauseSeconds = retryAfterSeconds(job, clock());
      reply.header('etag', etag).header('cache-control', 'private, no-cache');
      if (pauseSeconds !== undefined) reply.header('retry-after', pauseSeconds);
      if (namesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send(null);
      return representJob(job);
    },
  );
}
