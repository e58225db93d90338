import { type Static, Type } from 'typebox';
import { countHistory } from '../../../jobs/execution-history.ts';
import { createExecutions } from '../../../jobs/executions.ts';
import {
  findHeldJobs,
  findJobsAtCallbacks,
  findJobsWithoutOwner,
  findSlowJobs,
  type StuckJob,
} from '../../../jobs/store/stuck-jobs.ts';
import { findSlowTasks, type SlowTask } from '../../../jobs/store/watched-runs.ts';
import type { Api, RouteDeps } from '../../api.ts';
import { orNull, problemResponses, time } from '../../schemas.ts';

const stuck = Type.Object({
  jobId: Type.String(),
  tenantId: Type.String(),
  type: Type.String(),
  status: Type.String(),
  why: Type.String({
    description:
      'no-owner, held, slow-task, slow, long-history, waits-for-callback or callback-held',
  }),
  state: orNull(
    Type.String({ description: '`slow-task`: the state that lasts longer than its p99' }),
  ),
  since: time,
  ageSeconds: Type.Number(),
  usualSeconds: orNull(
    Type.Number({ description: 'the p99 of the state, or of jobs of the type' }),
  ),
  historyEvents: orNull(Type.Integer({ description: 'of 25,000 that an execution may have' })),
  nextAction: Type.String(),
});

const shown = 200;
/** GetExecutionHistory is refilled at 20 calls a second on AWS: the slowest jobs are asked about, not all. */
const histories = 20;
/** An execution ends at 25,000 events (https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html). */
const longHistory = 20_000;

/** GET /ops/stuck: jobs that do not go on as they should, each with what to do next. */
export function getStuck(api: Api, { sql, registry, operations }: RouteDeps): void {
  const executions = createExecutions(operations.sfn, operations.stateMachineArnPrefix);
  const countEvents = async (job: StuckJob): Promise<number> =>
    await countHistory(
      operations.sfn,
      job.executionArn ?? executions.arnOf(job.type, job.executionName),
    );
  api.get(
    '/ops/stuck',
    {
      config: { scope: 'ops' },
      schema: {
        operationId: 'getStuckJobs',
        tags: ['operations'],
        summary: 'See the jobs that do not go on',
        response: { 200: Type.Object({ jobs: Type.Array(stuck) }), ...problemResponses },
      },
    },
    async () => {
      const timeouts = [...registry.values()].map(({ type, timeoutSeconds }) => ({
        type,
        timeoutSeconds,
      }));
      const [ownerless, held, slowTasks, longRuns, atCallbacks] = await Promise.all([
        findJobsWithoutOwner(sql, shown),
        findHeldJobs(sql, shown),
        findSlowTasks(sql, shown),
        findSlowJobs(sql, timeouts, shown),
        findJobsAtCallbacks(sql, shown),
      ]);
      // Where the state is known that holds a run up, that says it better.
      const named = new Set(slowTasks.map(({ jobId }) => jobId));
      const slow = longRuns.filter(({ jobId }) => !named.has(jobId));
      const counts = await Promise.allSettled(slow.slice(0, histories).map(countEvents));
      const eventsOf = (index: number): number | null => {
        const count = counts[index];
        return count?.status === 'fulfilled' ? count.value : null;
      };
      return {
        jobs: [
          ...ownerless.map((job) => represent(job, null)),
          ...held.map((job) => represent(job, null)),
          ...slowTasks.map(representSlowTask),
          ...slow.map((job, index) => represent(job, eventsOf(index))),
          ...atCallbacks.map((job) => represent(job, null)),
        ],
      };
    },
  );
}

function represent(job: StuckJob, historyEvents: number | null): Static<typeof stuck> {
  const why = (historyEvents ?? 0) > longHistory ? 'long-history' : job.why;
  return {
    jobId: job.jobId,
    tenantId: job.tenantId,
    type: job.type,
    status: job.status,
    why,
    state: null,
    since: job.since.toISOString(),
    ageSeconds: job.ageSeconds,
    usualSeconds: job.usualSeconds,
    historyEvents,
    nextAction: nextActionOf(why, job),
  };
}

function representSlowTask(task: SlowTask): Static<typeof stuck> {
  const { jobId, state, attempts, error } = task;
  const tried =
    attempts > 1 ? ` tried ${attempts} times${error === null ? '' : `, last ${error}`};` : '';
  return {
    jobId,
    tenantId: task.tenantId,
    type: task.type,
    status: task.status,
    why: 'slow-task',
    state,
    since: task.since.toISOString(),
    ageSeconds: task.ageSeconds,
    usualSeconds: task.usualSeconds,
    historyEvents: null,
    nextAction: `${state} takes longer than it uses to;${tried} GET /jobs/${jobId}/execution shows its attempts and errors: mend what it waits for, or POST /jobs/${jobId}/cancel; see docs/runbooks/stuck-jobs.md`,
  };
}

function nextActionOf(why: string, { jobId, status, heldReason }: StuckJob): string {
  if (why === 'held') {
    return `${heldReason}; mend the cause, then redrive the message (GET /ops/dlq, /ops/quarantine) or, where it is gone, POST /jobs/${jobId}/redrive; see docs/runbooks/stuck-jobs.md`;
  }
  if (why === 'no-owner') {
    return status === 'PENDING' || status === 'RUNNING'
      ? `the reconciler takes it within a minute; if it stays, see docs/runbooks/stuck-jobs.md`
      : `its execution is being closed by the reconciler; if it stays, see docs/runbooks/stuck-jobs.md`;
  }
  if (why === 'long-history') {
    return `GET /jobs/${jobId}/execution; cancel and restart it before it ends at 25,000 events`;
  }
  if (why === 'waits-for-callback') {
    return 'the provider has not answered yet; its machine gives up by itself when the time is over';
  }
  if (why === 'callback-held') {
    return 'the provider’s answer came when nobody waited for it: GET /ops/callbacks shows it; act at the provider, then resolve it';
  }
  return `GET /jobs/${jobId}/execution shows the state that takes long`;
}
