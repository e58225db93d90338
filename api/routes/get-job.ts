import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { isFinal, type JobView } from '../../jobs/store/find-job.ts';
import type { Api, RouteDeps } from '../api.ts';
import { findRequestedJob } from '../find-requested-job.ts';
import { holdUntil, longestWaitSeconds, waitSecondsOf } from '../hold-request.ts';
import { etagOf, namesEtag, representJob, retryAfterSeconds } from '../represent-job.ts';
import { job as jobSchema, jobParams, problemResponses, refTo } from '../schemas.ts';

/** GET /jobs/:jobId: the job as it is now, or as soon as there is something new to tell. */
export function getJob(api: Api, { sql, clock, watch, operations }: RouteDeps): void {
  api.get(
    '/jobs/:jobId',
    {
      config: { scope: 'jobs:read' },
      schema: {
        operationId: 'getJob',
        tags: ['jobs'],
        summary: 'Get a job',
        params: jobParams,
        headers: Type.Object({
          'if-none-match': Type.Optional(Type.String()),
          prefer: Type.Optional(
            Type.String({
              description: `\`wait=n\` holds the request up to n seconds (at most ${longestWaitSeconds}) until the job is final; with If-None-Match until it differs`,
            }),
          ),
        }),
        response: {
          200: refTo(jobSchema),
          304: Type.Null({ description: 'Nothing has changed since this ETag' }),
          ...problemResponses,
        },
      },
    },
    async (request, reply) => {
      const { prefer, 'if-none-match': ifNoneMatch } = request.headers;
      const found = await findRequestedJob(sql, request);
      const seconds = waitSecondsOf(prefer);
      if (seconds !== undefined) reply.header('preference-applied', `wait=${seconds}`);
      const enough = (job: JobView): boolean =>
        ifNoneMatch === undefined ? isFinal(job.status) : !namesEtag(ifNoneMatch, etagOf(job));
      const job =
        seconds === undefined ? found : await holdUntil(watch, found, { enough, seconds, reply });
      setCaching(reply, job, clock());
      if (namesEtag(ifNoneMatch, etagOf(job))) return reply.code(304).send(null);
      return representJob(job, operations.stateMachineArnPrefix);
    },
  );
}

function setCaching(reply: FastifyReply, job: JobView, now: Date): void {
  const pauseSeconds = retryAfterSeconds(job, now);
  reply
    .header('etag', etagOf(job))
    .header('cache-control', 'private, no-cache')
    .header('vary', 'Authorization, Prefer');
  if (pauseSeconds !== undefined) reply.header('retry-after', pauseSeconds);
}
