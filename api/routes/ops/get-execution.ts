import { Type } from 'typebox';
import { readHistoryPage } from '../../../jobs/execution-history.ts';
import { viewExecution } from '../../../jobs/execution-view.ts';
import type { Api, RouteDeps } from '../../api.ts';
import { findRequestedJob } from '../../find-requested-job.ts';
import { Problem } from '../../problems.ts';
import { jobParams, orNull, problemResponses, time } from '../../schemas.ts';
import { executionArnOf } from './execution-arn.ts';
import { representEvent } from './history-event.ts';

const passage = {
  type: Type.String(),
  status: Type.String({
    description: 'RUNNING, RETRYING, SUCCEEDED, CAUGHT, FAILED, ABORTED or NOT_ENTERED',
  }),
  attempts: Type.Integer(),
  exitedAt: orNull(time),
  error: orNull(Type.String()),
  cause: orNull(Type.String()),
};

const response = Type.Object({
  execution: Type.Object({
    name: Type.String(),
    arn: Type.String(),
    status: Type.String(),
    redriveCount: Type.Integer(),
    redriveStatus: orNull(Type.String()),
    redriveStatusReason: orNull(Type.String()),
    startedAt: orNull(time),
    stoppedAt: orNull(time),
    redrivenAt: orNull(time),
    error: orNull(Type.String()),
    cause: orNull(Type.String()),
  }),
  definition: orNull(Type.String({ description: 'the ASL that this execution runs' })),
  states: Type.Array(
    Type.Object({
      name: Type.String(),
      comment: orNull(Type.String()),
      parent: orNull(Type.String()),
      next: Type.Array(Type.String()),
      visits: Type.Integer(),
      enteredAt: orNull(time),
      ...passage,
    }),
  ),
  timeline: Type.Array(
    Type.Object({
      state: Type.String(),
      enteredAt: time,
      redriveCount: Type.Integer(),
      ...passage,
    }),
  ),
  truncated: Type.Boolean({
    description: 'the history is longer than 5,000 events: states and timeline show its beginning',
  }),
  history: Type.Object({
    events: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
      description: 'as GetExecutionHistory writes them, without task tokens',
    }),
    nextToken: orNull(Type.String()),
  }),
});

const query = Type.Object(
  {
    nextToken: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 200 })),
    newestFirst: Type.Optional(Type.Boolean({ default: false })),
    states: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          'false: `states` and `timeline` are left empty, for which up to 5,000 events are read',
      }),
    ),
  },
  { additionalProperties: false },
);

/** GET /jobs/:jobId/execution: what the job's execution does, state by state, as Step Functions tells it. */
export function getExecution(api: Api, { sql, operations }: RouteDeps): void {
  api.get(
    '/jobs/:jobId/execution',
    {
      config: { scope: 'ops' },
      schema: {
        operationId: 'getExecution',
        tags: ['operations'],
        summary: 'See the execution of a job: its definition, states, timeline and history',
        params: jobParams,
        querystring: query,
        response: { 200: response, ...problemResponses },
      },
    },
    async (request) => {
      const { nextToken, limit = 200, newestFirst = false, states = true } = request.query;
      const job = await findRequestedJob(sql, request);
      const arn = executionArnOf(operations, job);
      const view = await viewExecution(operations.sfn, arn, states);
      if (view === undefined) {
        throw new Problem('execution-not-found', {
          detail: `the job is ${job.status}; it is not started yet, or AWS keeps the execution no more (90 days)`,
        });
      }
      const page = await readHistoryPage(operations.sfn, arn, {
        maxResults: limit,
        reverseOrder: newestFirst,
        includeExecutionData: true,
        ...(nextToken === undefined ? {} : { nextToken }),
      });
      const { execution } = view;
      return {
        execution: {
          name: job.executionName,
          arn,
          status: execution.status ?? 'UNKNOWN',
          redriveCount: execution.redriveCount ?? 0,
          redriveStatus: execution.redriveStatus ?? null,
          redriveStatusReason: execution.redriveStatusReason ?? null,
          startedAt: text(execution.startDate),
          stoppedAt: text(execution.stopDate),
          redrivenAt: text(execution.redriveDate),
          error: execution.error ?? null,
          cause: execution.cause ?? null,
        },
        definition: view.definition ?? null,
        states: view.states.map((state) => ({
          ...state,
          next: [...state.next],
          enteredAt: text(state.enteredAt),
          exitedAt: text(state.exitedAt),
        })),
        timeline: view.timeline.map((visit) => ({
          ...visit,
          enteredAt: visit.enteredAt.toISOString(),
          exitedAt: text(visit.exitedAt),
        })),
        truncated: view.truncated,
        history: { events: page.events.map(representEvent), nextToken: page.nextToken ?? null },
      };
    },
  );
}

const text = (date: Date | null | undefined): string | null => date?.toISOString() ?? null;
