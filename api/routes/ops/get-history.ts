import { Type } from 'typebox';
import { describeExecution, readHistoryPage } from '../../../jobs/execution-history.ts';
import type { Api, RouteDeps } from '../../api.ts';
import { findRequestedJob } from '../../find-requested-job.ts';
import { Problem } from '../../problems.ts';
import { jobParams, orNull, problemResponses } from '../../schemas.ts';
import { executionArnOf } from './execution-arn.ts';
import { representEvent } from './history-event.ts';

const query = Type.Object(
  {
    nextToken: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 1000 })),
    newestFirst: Type.Optional(Type.Boolean({ default: true })),
  },
  { additionalProperties: false },
);

/** GET /jobs/:jobId/history: one page of the history alone, for a reader who goes through all of it. */
export function getHistory(api: Api, { sql, operations }: RouteDeps): void {
  api.get(
    '/jobs/:jobId/history',
    {
      config: { scope: 'ops' },
      schema: {
        operationId: 'getHistory',
        tags: ['operations'],
        summary: 'Page through the history of a job’s execution',
        params: jobParams,
        querystring: query,
        response: {
          200: Type.Object({
            executionName: Type.String(),
            executionStatus: Type.String({ description: 'as DescribeExecution says' }),
            events: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
              description: 'as GetExecutionHistory writes them, without task tokens',
            }),
            nextToken: orNull(Type.String()),
          }),
          ...problemResponses,
        },
      },
    },
    async (request) => {
      const { nextToken, limit = 1000, newestFirst = true } = request.query;
      const job = await findRequestedJob(sql, request);
      const arn = executionArnOf(operations, job);
      const execution = await describeExecution(operations.sfn, arn);
      if (execution === undefined) {
        throw new Problem('execution-not-found', { detail: `the job is ${job.status}` });
      }
      const page = await readHistoryPage(operations.sfn, arn, {
        maxResults: limit,
        reverseOrder: newestFirst,
        includeExecutionData: true,
        ...(nextToken === undefined ? {} : { nextToken }),
      });
      return {
        executionName: job.executionName,
        executionStatus: execution.status ?? 'UNKNOWN',
        events: page.events.map(representEvent),
        nextToken: page.nextToken ?? null,
      };
    },
  );
}
