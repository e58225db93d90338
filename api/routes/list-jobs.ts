import { type Static, Type } from 'typebox';
import { type JobFilter, listJobs as findJobs } from '../../jobs/store/list-jobs.ts';
import type { Api, RouteDeps } from '../api.ts';
import { scopeOf } from '../authenticate.ts';
import { cursorOf, readCursor } from '../page-cursor.ts';
import { representJob } from '../represent-job.ts';
import {
  job as jobSchema,
  jobType,
  problemResponses,
  queryTime,
  refTo,
  status,
} from '../schemas.ts';

const query = Type.Object(
  {
    status: Type.Optional(status),
    type: Type.Optional(jobType),
    tag: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 321,
        pattern: '^[^\\x00]+$',
        description: '`name`, or `name:value`',
      }),
    ),
    createdAfter: Type.Optional(queryTime),
    createdBefore: Type.Optional(queryTime),
    failureCode: Type.Optional(Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Z_]+$' })),
    failureText: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        pattern: '^[^\\x00]+$',
        description: 'any part of the failure’s message, in either case',
      }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
    cursor: Type.Optional(Type.String({ maxLength: 200 })),
  },
  { additionalProperties: false },
);

/** GET /jobs: newest first, page by page. */
export function listJobs(api: Api, { sql, operations }: RouteDeps): void {
  api.get(
    '/jobs',
    {
      config: { scope: 'jobs:read' },
      schema: {
        operationId: 'listJobs',
        tags: ['jobs'],
        summary: 'Find jobs, newest first',
        querystring: query,
        response: {
          200: Type.Object({
            jobs: Type.Array(refTo(jobSchema)),
            nextCursor: Type.Union([Type.String(), Type.Null()], {
              description: 'to be sent as `cursor` for the next page; null on the last',
            }),
          }),
          ...problemResponses,
        },
      },
    },
    async (request, reply) => {
      const { limit = 50, cursor } = request.query;
      const { stateMachineArnPrefix } = operations;
      // One more than is shown tells whether there is a next page.
      const page = { limit: limit + 1, after: readCursor(cursor) };
      const found = await findJobs(sql, scopeOf(request), filterOf(request.query), page);
      const shown = found.slice(0, limit);
      const last = shown.at(-1);
      const hasMore = found.length > limit && last !== undefined;
      const nextCursor = hasMore ? cursorOf(last) : null;
      return reply.send({
        jobs: shown.map((job) => representJob(job, stateMachineArnPrefix)),
        nextCursor,
      });
    },
  );
}

function filterOf(asked: Static<typeof query>): JobFilter {
  const { status, type, tag, createdAfter, createdBefore, failureCode, failureText } = asked;
  return {
    status,
    type,
    tag,
    createdAfter: createdAfter === undefined ? undefined : new Date(createdAfter),
    createdBefore: createdBefore === undefined ? undefined : new Date(createdBefore),
    failureCode,
    failureText,
  };
}
