import type { DescribeExecutionCommandOutput } from '@aws-sdk/client-sfn';
import { Type } from 'typebox';
import { describeExecution, readHistoryPage } from '../../../jobs/execution-history.ts';
import { describeMapRuns, listChildren, mapRunIdOf } from '../../../jobs/map-runs.ts';
import type { Api, RouteDeps } from '../../api.ts';
import { findRequestedJob } from '../../find-requested-job.ts';
import { Problem } from '../../problems.ts';
import { jobParams, orNull, problemResponses, time } from '../../schemas.ts';
import { executionArnOf } from './execution-arn.ts';
import { representEvent } from './history-event.ts';

const counts = Type.Record(Type.String(), Type.Integer(), {
  description: 'as DescribeMapRun counts them: total, pending, running, succeeded, failed, …',
});

const mapRun = Type.Object({
  mapRunId: Type.String({ description: 'the last part of its ARN' }),
  arn: Type.String(),
  status: Type.String({ description: 'RUNNING, SUCCEEDED, FAILED or ABORTED' }),
  startedAt: orNull(time),
  stoppedAt: orNull(time),
  redriveCount: Type.Integer(),
  redrivenAt: orNull(time),
  executionCounts: counts,
  itemCounts: counts,
});

const child = Type.Object({
  name: Type.String(),
  arn: Type.String(),
  status: Type.String(),
  startedAt: orNull(time),
  stoppedAt: orNull(time),
  redriveCount: Type.Integer(),
  redrivenAt: orNull(time),
});

const childInFull = Type.Object({
  ...child.properties,
  error: orNull(Type.String()),
  cause: orNull(Type.String()),
  input: orNull(Type.String()),
  output: orNull(Type.String()),
  events: orNull(
    Type.Array(Type.Record(Type.String(), Type.Unknown()), {
      description:
        'its first 1,000, as GetExecutionHistory writes them, without task tokens; null for an Express child, of which Step Functions keeps no history',
    }),
  ),
});

const statuses = [
  'RUNNING',
  'SUCCEEDED',
  'FAILED',
  'TIMED_OUT',
  'ABORTED',
  'PENDING_REDRIVE',
] as const;
const mapRunId = Type.String({ minLength: 1, maxLength: 200 });
const arn = Type.String({ minLength: 1, maxLength: 512, pattern: '^arn:[!-~]+$' });
const childrenQuery = Type.Object(
  {
    status: Type.Optional(Type.Enum([...statuses])),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
    nextToken: Type.Optional(Type.String({ minLength: 1, maxLength: 3096 })),
  },
  { additionalProperties: false },
);

/** GET /jobs/:jobId/map-runs, …/:mapRunId/children and …/:mapRunId/child: what went on inside distributed Maps. */
export function mapRuns(api: Api, { sql, operations }: RouteDeps): void {
  const config = { scope: 'ops' } as const;
  const tags = ['operations'];
  const { sfn } = operations;
  const mapRunsOf = async (request: Parameters<typeof findRequestedJob>[1]) => {
    const job = await findRequestedJob(sql, request);
    const executionArn = executionArnOf(operations, job);
    if ((await describeExecution(sfn, executionArn)) === undefined) {
      throw new Problem('execution-not-found', { detail: `the job is ${job.status}` });
    }
    return await describeMapRuns(sfn, executionArn);
  };
  const mapRunArnOf = async (request: Parameters<typeof mapRunsOf>[0], id: string) => {
    const found = (await mapRunsOf(request)).find((run) => mapRunIdOf(run.mapRunArn ?? '') === id);
    if (found?.mapRunArn === undefined) throw new Problem('map-run-not-found');
    return found.mapRunArn;
  };
  api.get(
    '/jobs/:jobId/map-runs',
    {
      config,
      schema: {
        operationId: 'listMapRuns',
        tags,
        summary: 'List the Map Runs of a job’s execution, newest first',
        params: jobParams,
        response: { 200: Type.Object({ mapRuns: Type.Array(mapRun) }), ...problemResponses },
      },
    },
    async (request) => ({
      mapRuns: (await mapRunsOf(request)).map((run) => ({
        mapRunId: mapRunIdOf(run.mapRunArn ?? ''),
        arn: run.mapRunArn ?? '',
        status: run.status ?? 'UNKNOWN',
        startedAt: text(run.startDate),
        stoppedAt: text(run.stopDate),
        redriveCount: run.redriveCount ?? 0,
        redrivenAt: text(run.redriveDate),
        executionCounts: countsOf(run.executionCounts),
        itemCounts: countsOf(run.itemCounts),
      })),
    }),
  );
  api.get(
    '/jobs/:jobId/map-runs/:mapRunId/children',
    {
      config,
      schema: {
        operationId: 'listMapRunChildren',
        tags,
        summary: 'Page through the child executions of a Map Run, newest first',
        params: Type.Object({ ...jobParams.properties, mapRunId }),
        querystring: childrenQuery,
        response: {
          200: Type.Object({ children: Type.Array(child), nextToken: orNull(Type.String()) }),
          ...problemResponses,
        },
      },
    },
    async (request) => {
      const { status, limit = 50, nextToken } = request.query;
      const mapRunArn = await mapRunArnOf(request, request.params.mapRunId);
      const page = await listChildren(sfn, mapRunArn, {
        maxResults: limit,
        ...(status === undefined ? {} : { statusFilter: status }),
        ...(nextToken === undefined ? {} : { nextToken }),
      });
      return {
        children: (page.executions ?? []).map(representChild),
        nextToken: page.nextToken ?? null,
      };
    },
  );
  api.get(
    '/jobs/:jobId/map-runs/:mapRunId/child',
    {
      config,
      schema: {
        operationId: 'getMapRunChild',
        tags,
        summary: 'See one child execution of a Map Run, with its events where it has a history',
        params: Type.Object({ ...jobParams.properties, mapRunId }),
        querystring: Type.Object({ arn }, { additionalProperties: false }),
        response: { 200: childInFull, ...problemResponses },
      },
    },
    async (request) => {
      const mapRunArn = await mapRunArnOf(request, request.params.mapRunId);
      const described = isOfMapRun(request.query.arn, mapRunArn)
        ? await describeExecution(sfn, request.query.arn)
        : undefined;
      if (described?.mapRunArn !== mapRunArn) {
        throw new Problem('execution-not-found', { detail: 'it is no child of this Map Run' });
      }
      return {
        ...representChild(described),
        error: described.error ?? null,
        cause: described.cause ?? null,
        input: described.input ?? null,
        output: described.output ?? null,
        events: request.query.arn.includes(':express:')
          ? null
          : (
              await readHistoryPage(sfn, request.query.arn, {
                maxResults: 1_000,
                includeExecutionData: true,
              })
            ).events.map(representEvent),
      };
    },
  );
}

const countsOf = (counted: object = {}): Record<string, number> =>
  Object.fromEntries(
    Object.entries(counted).flatMap(([name, value]: [string, unknown]) =>
      typeof value === 'number' ? [[name, value]] : [],
    ),
  );

/** A child stands under its Map Run's machine and label; Step Functions is not asked about anything else. */
function isOfMapRun(childArn: string, mapRunArn: string): boolean {
  const place = mapRunArn.split(':').at(-2) ?? '';
  const parts = childArn.split(':');
  return (
    parts[2] === 'states' && /^(execution|express)$/.test(parts[5] ?? '') && parts[6] === place
  );
}

type Described = Pick<
  DescribeExecutionCommandOutput,
  'name' | 'executionArn' | 'status' | 'startDate' | 'stopDate' | 'redriveCount' | 'redriveDate'
>;

const representChild = (described: Described) => ({
  name: described.name ?? '',
  arn: described.executionArn ?? '',
  status: described.status ?? 'UNKNOWN',
  startedAt: text(described.startDate),
  stoppedAt: text(described.stopDate),
  redriveCount: described.redriveCount ?? 0,
  redrivenAt: text(described.redriveDate),
});

const text = (date: Date | undefined): string | null => date?.toISOString() ?? null;
