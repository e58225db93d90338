import { Type } from 'typebox';
import { errorsKeyOf } from '../../jobs/payload-key.ts';
import type { Api, RouteDeps } from '../api.ts';
import { findRequestedJob } from '../find-requested-job.ts';
import { presignDownload } from '../presign-download.ts';
import { Problem } from '../problems.ts';
import { listsErrors } from '../represent-job.ts';
import { jobParams, problemResponses } from '../schemas.ts';

/** GET /jobs/:jobId/errors: 303 to the list of what in the payload was wrong, also where the job failed of it. */
export function getErrors(api: Api, { sql, s3, payloadBucket }: RouteDeps): void {
  api.get(
    '/jobs/:jobId/errors',
    {
      config: { scope: 'jobs:read' },
      schema: {
        operationId: 'getErrors',
        tags: ['jobs'],
        summary: 'Get the list of rows that failed',
        description: 'JSON Lines `{line, code, message}`; a job that has one links to it.',
        params: jobParams,
        response: {
          303: Type.Null({ description: 'The list, by a presigned GET for 15 minutes' }),
          ...problemResponses,
        },
      },
    },
    async (request, reply) => {
      const job = await findRequestedJob(sql, request);
      if (!listsErrors(job)) throw new Problem('not-found', { detail: 'the job has no such list' });
      const key = errorsKeyOf(job, job.executionName);
      reply.header('cache-control', 'private, no-store');
      return reply.redirect(await presignDownload(s3, { bucket: payloadBucket, key }), 303);
    },
  );
}
