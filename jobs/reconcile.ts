import type { Logger } from 'pino';
import { classify } from './classify.ts';
import { crashPoint } from './crash-point.ts';
import type { FailedExecution } from './execution-failure.ts';
import type { Executions, ExecutionView } from './executions.ts';
import { failureCodes } from './failure-codes.ts';
import type { Failure } from './failure.ts';
import { requestExpiry } from './stop.ts';
import type { Sql } from './store/connect.ts';
import { releaseOwner } from './store/dispatched-run.ts';
import { finishJob } from './store/finish-job.ts';
import { holdJob } from './store/held-jobs.ts';
import type { OutboxRow } from './store/outbox.ts';
import {
  awaitTurn,
  extendOwner,
  findOwnerless,
  type OwnerlessJob,
  resend,
} from './store/ownerless.ts';

/** What is known of the queue when the reconciler runs. */
export type QueueView = {
  /** Nothing visible, in flight or delayed. */
  readonly empty: boolean;
  /** Whether what is received now of a message group (the tenant) was sent well after this moment. */
  readonly hasPassed: (group: string, sentAt: Date) => boolean;
  /** The idempotency keys of messages that lie in the dead-letter queue, as far as they were looked at. */
  readonly deadLetters: ReadonlySet<string>;
};

export type ReconcileDeps = {
  readonly sql: Sql;
  readonly executions: Executions;
  /** Why an execution failed; the caller's rate limit is in it. */
  readonly failureOf: (executionArn: string, execution: FailedExecution) => Promise<Failure>;
  /** `anyPublished`: some of the jobs have a message in the queue, so it matters which are dead letters. */
  readonly queueView: (anyPublished: boolean) => Promise<QueueView>;
  readonly publishSoon: (row: OutboxRow) => void;
  readonly log: Logger;
};

/** What to do about a job that nobody is known to look after. */
export type Action = 'expire' | 'wait' | 'await-turn' | 'resend' | 'hold' | 'look';

/** DescribeExecution is refilled at 10 to 15 calls a second on AWS: what one pass may spend. */
const looksPerPass = 300;
/** Waiting for a backlog costs no call: it must not take the place of what is to be looked at. */
const jobsPerPass = 3_000;
const ownerSeconds = 300;
/** So often a message is sent again that nobody answers for; what is lost more often is not lost by chance. */
const maxResends = 3;

/**
 * Pure. A backlog is never sent a second time: a message that may still be in the queue is waited for. Neither is what
 * kills its consumers, or what they cannot read: it would do so again, for ever.
 */
export function decide(job: OwnerlessJob, queue: QueueView): Action {
  const open = job.status === 'PENDING' || job.status === 'RUNNING';
  if (open && job.expired) return 'expire';
  if (job.status !== 'PENDING') return 'look';
  if (job.waitsInOrder) return 'await-turn';
  // Not published: the relay has it, and its lag is alarmed on its own.
  if (job.publishedAt === null) return job.messageId === null ? 'look' : 'wait';
  if (job.messageDone) return 'look';
  if (job.held || isKeptElsewhere(job, queue)) return 'hold';
  const isLost = queue.empty || queue.hasPassed(job.tenantId, job.publishedAt);
  if (!isLost) return 'wait';
  return job.resends < maxResends ? 'resend' : 'hold';
}

const isKeptElsewhere = (job: OwnerlessJob, queue: QueueView): boolean =>
  job.quarantinedAs !== null || isDeadLetter(job, queue);

const isDeadLetter = ({ idempotencyKey }: OwnerlessJob, { deadLetters }: QueueView): boolean =>
  idempotencyKey !== null && deadLetters.has(idempotencyKey);

/** Why a job is held, for the person who reads it. */
function whyHeld(job: OwnerlessJob, queue: QueueView): string {
  if (job.quarantinedAs !== null) return `its message is in quarantine: ${job.quarantinedAs}`;
  if (isDeadLetter(job, queue))
    return 'its message is in the dead-letter queue: consumers died of it';
  return `its message was sent again ${job.resends} times, and no consumer has answered for it`;
}

/**
 * Takes up the jobs past their `owner_until`, longest first; gives how many were found. Run once a minute. What is to be
 * looked at and comes after the pass has spent its looks keeps its place: it is among the first of the next one.
 */
export async function reconcile(deps: ReconcileDeps): Promise<number> {
  const jobs = await findOwnerless(deps.sql, jobsPerPass);
  if (jobs.length === 0) return 0;
  const queue = await deps.queueView(jobs.some(({ publishedAt }) => publishedAt !== null));
  let answers = true;
  let looks = 0;
  for (const job of jobs) {
    const action = decide(job, queue);
    if (action === 'look' && (looks += 1) > looksPerPass) continue;
    deps.log.warn({ jobId: job.jobId, status: job.status, action }, 'job without an owner');
    try {
      // Where Step Functions fails or throttles, every further look would only cost its time.
      if (action === 'look' && !answers) await putBehind(deps, job);
      else await act(deps, job, action, queue);
    } catch (error) {
      // One job must not hold up the others: neither now, nor by standing first in every pass.
      deps.log.error({ err: error, jobId: job.jobId, action }, 'job without an owner left alone');
      answers &&= classify(error).code !== 'AWS_UNAVAILABLE';
      await putBehind(deps, job);
    }
  }
  return jobs.length;
}

/** It is taken again in the next pass, after those that have waited longer by then. */
async function putBehind({ sql, log }: ReconcileDeps, job: OwnerlessJob): Promise<void> {
  try {
    await extendOwner(sql, job, 0);
  } catch (error) {
    log.warn({ err: error, jobId: job.jobId }, 'job without an owner keeps its place');
  }
}

async function act(
  deps: ReconcileDeps,
  job: OwnerlessJob,
  action: Action,
  queue: QueueView,
): Promise<void> {
  switch (action) {
    case 'expire':
      return await expire(deps, job);
    case 'wait':
      return await extendOwner(deps.sql, job, ownerSeconds);
    case 'await-turn':
      return await awaitTurn(deps.sql, job);
    case 'resend':
      crashPoint('before-message-resent');
      await resend(deps.sql, job, ownerSeconds);
      return crashPoint('after-message-resent');
    case 'hold':
      return await hold(deps, job, whyHeld(job, queue));
    case 'look':
      return await look(deps, job);
  }
}

async function hold({ sql, log }: ReconcileDeps, job: OwnerlessJob, why: string): Promise<void> {
  await holdJob(sql, job, why);
  log.error({ jobId: job.jobId, why }, 'job held for a person');
}

async function expire({ sql, publishSoon }: ReconcileDeps, job: OwnerlessJob): Promise<void> {
  const { jobId, tenantId } = job;
  const request = {
    jobId,
    tenantId,
    actor: 'reconciler',
    reason: 'expiresAt has passed',
    producer: 'worker',
  } as const;
  const outcome = await requestExpiry(sql, request);
  if (outcome.outcome === 'stopped') publishSoon(outcome.row);
}

/** Asks Step Functions what became of the execution, and brings the job in line with it. */
async function look(deps: ReconcileDeps, job: OwnerlessJob): Promise<void> {
  const { sql, executions } = deps;
  const view = await executions.describe(executions.arnOf(job.type, job.executionName));
  const open = job.status === 'PENDING' || job.status === 'RUNNING';
  if (view?.status === 'RUNNING' || view?.status === 'PENDING_REDRIVE') {
    if (!open) await executions.stop(view.arn, job.status, 'the job has ended');
    return await extendOwner(sql, job, ownerSeconds);
  }
  const redriveCount = Math.max(job.redriveCount, view?.redriveCount ?? 0);
  const fence = { jobId: job.jobId, executionName: job.executionName, redriveCount };
  if (!open) return await releaseOwner(sql, fence);
  await finishJob(
    sql,
    fence,
    { status: 'FAILED', failure: await endingOf(deps, view) },
    'reconciler',
  );
}

async function endingOf(
  { failureOf }: ReconcileDeps,
  view: ExecutionView | undefined,
): Promise<Failure> {
  if (view !== undefined && view.status !== 'SUCCEEDED') return await failureOf(view.arn, view);
  return {
    code: 'EXECUTION_LOST',
    message:
      view === undefined
        ? 'Step Functions knows no execution of this name'
        : 'the execution succeeded, but no task of it finished the job',
    retryable: failureCodes.EXECUTION_LOST.retryable,
    state: null,
  };
}
