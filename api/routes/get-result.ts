import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { isPayloadKeyOf, jobPrefixOf } from '../../jobs/payload-key.ts';
import { payloadReferenceSchema } from '../../jobs/payload-reference.ts';
import { isFinal, type JobView } from '../../jobs/store/find-job.ts';
import type { Api, RouteDeps } from '../api.ts';
import { findRequestedJob } from '../find-requested-job.ts';
import { presignDownload } from '../presign-download.ts';
import { Problem } from '../problems.ts';
import { retryAfterSeconds } from '../represent-job.ts';
import { jobParams, problemResponses } from '../schemas.ts';

const referenceCheck = Compile(payloadReferenceSchema);

/**
 * GET /jobs/:jobId/result: the result itself; where it, or the part that `part` points at, is a reference to an
 * object of the tenant's, 303 to a presigned GET of it.
 */
export function getResult(api: Api, { sql, s3, clock, payloadBucket }: RouteDeps): void {
  api.get(
    '/jobs/:jobId/result',
    {
      config: { scope: 'jobs:read' },
      schema: {
        operationId: 'getResult',
        tags: ['jobs'],
        summary: 'Get the result of a job',
        params: jobParams,
        querystring: Type.Object({
          part: Type.Optional(
            Type.String({
              maxLength: 1024,
              pattern: '^(/[^/]*)*$',
              description: 'JSON Pointer to a part of the result, such as /errorsRef',
            }),
          ),
        }),
        response: {
          200: Type.Unknown({ description: 'The result, or the part of it' }),
          303: Type.Null({ description: 'The object, by a presigned GET for 15 minutes' }),
          ...problemResponses,
        },
      },
    },
    async (request, reply) => {
      const job = await findRequestedJob(sql, request);
      if (job.status !== 'SUCCEEDED') throw noResult(job, clock());
      const part = partOf(job.result, request.query.part ?? '');
      if (part === undefined)
        throw new Problem('not-found', { detail: 'the result has no such part' });
      reply.header('cache-control', 'private, no-store').type('application/json');
      if (!referenceCheck.Check(part)) return reply.send(JSON.stringify(part));
      const isOwn = isPayloadKeyOf(job.tenantId, part.key) || part.key.startsWith(jobPrefixOf(job));
      if (part.bucket !== payloadBucket || !isOwn) {
        return reply.send(JSON.stringify(part));
      }
      return reply
        .code(303)
        .header('location', await presignDownload(s3, part))
        .send();
    },
  );
}

function noResult(job: JobView, now: Date): Problem {
  const pauseSeconds = retryAfterSeconds(job, now);
  const detail = isFinal(job.status)
    ? `the job is ${job.status} and will have no result unless it is redriven`
    : `the job is ${job.status}: ask again later`;
  return new Problem(
    'result-not-there',
    { detail, jobStatus: job.status, failure: job.failure },
    pauseSeconds === undefined ? {} : { 'retry-after': String(pauseSeconds) },
  );
}

/** What a JSON Pointer (RFC 6901) points at; undefined where there is nothing. */
function partOf(value: unknown, pointer: string): unknown {
  let part = value;
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, key)) return undefined;
    part = (part as Record<string, unknown>)[key];
  }
  return part;
}
