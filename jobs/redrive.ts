import { crashPoint } from './crash-point.ts';
import { isCompensated } from './failure-codes.ts';
import { newEnvelope } from './envelope.ts';
import { executionNameOf, type JobId, type TenantId } from './ids.ts';
import type { Sql } from './store/connect.ts';
import type { OutboxRow } from './store/outbox.ts';
import { sendHeldAgain } from './store/held-jobs.ts';
import { type NextRun, type Reopened, reopenJob } from './store/redrive-job.ts';
import { findJobState, type JobState } from './store/stop-job.ts';

/**
 * `resume`: RedriveExecution from the failed state. `restart`: a new execution of the current definition.
 * `auto`: resume where Step Functions allows it, else restart; a failure that has been compensated is restarted.
 */
export type RedriveMode = 'resume' | 'restart' | 'auto';

export type RedriveOutcome =
  | { readonly outcome: 'not-found' }
  /** Only a FAILED, CANCELLED or EXPIRED job can be redriven. */
  | { readonly outcome: 'not-redrivable'; readonly job: JobState }
  /** Another job with its uniqueKey was submitted since, and is open. */
  | { readonly outcome: 'unique-key-taken'; readonly job: JobState }
  /** `row` is for the relay; undefined where the job waits for its turn in its ordering key, or was held. */
  | { readonly outcome: 'redriven'; readonly job: JobState; readonly row: OutboxRow | undefined };

export type RedriveRequest = {
  readonly jobId: JobId;
  readonly tenantId: TenantId | undefined;
  readonly mode: RedriveMode;
  readonly reason: string;
  readonly actor: string;
  /** Until when this run may take; null clears an old one. */
  readonly expiresAt: Date | null;
  /** Redrive it only as it stands in this run: what has been redriven meanwhile is not redriven again. */
  readonly onlyRun?: number;
};

/** What a redrive asks of the database; a bulk redrive lets its jobs share it (redrive-together.ts). */
export type RedriveStatements = {
  readonly findJob: (request: RedriveRequest) => Promise<JobState | undefined>;
  readonly sendHeldAgain: (request: RedriveRequest) => Promise<boolean>;
  readonly reopen: (opening: {
    readonly job: JobState;
    readonly next: NextRun;
  }) => Promise<Reopened | 'unique-key-taken' | undefined>;
};

export const redriveStatements = (sql: Sql): RedriveStatements => ({
  findJob: ({ jobId, tenantId }) => findJobState(sql, jobId, tenantId),
  sendHeldAgain: (request) => sendHeldAgain(sql, request.jobId, request),
  reopen: ({ job, next }) => reopenJob(sql, job, next),
});

const redrivable = new Set(['FAILED', 'CANCELLED', 'EXPIRED']);

/**
 * Opens the job's next run and its message to the dispatcher, which asks Step Functions. A PENDING job that is held has
 * not begun its run: its message is sent again, whatever the mode.
 */
export async function requestRedrive(
  sql: Sql,
  request: RedriveRequest,
  statements = redriveStatements(sql),
): Promise<RedriveOutcome> {
  const job = await statements.findJob(request);
  if (job === undefined) return { outcome: 'not-found' };
  if (job.run !== (request.onlyRun ?? job.run)) return { outcome: 'not-redrivable', job };
  if (job.held && (await statements.sendHeldAgain(request)))
    return { outcome: 'redriven', job, row: undefined };
  if (!redrivable.has(job.status)) return { outcome: 'not-redrivable', job };

  const mode = modeFor(job, request.mode);
  const fence = nextFence(job, mode);
  const { actor, reason, expiresAt } = request;
  const message = redriveMessage(job, fence, mode);
  crashPoint('before-redrive-commit');
  const next = { ...fence, actor, reason, expiresAt, message };
  const reopened = await statements.reopen({ job, next });
  crashPoint('after-redrive-commit');
  if (reopened === 'unique-key-taken') return { outcome: reopened, job };
  if (reopened === undefined) {
    // Somebody was faster: the other redrive is the one.
    const now = await statements.findJob(request);
    return now === undefined ? { outcome: 'not-found' } : { outcome: 'not-redrivable', job: now };
  }
  return {
    outcome: 'redriven',
    job: { ...job, ...fence, status: 'PENDING', run: job.run + 1 },
    row: reopened.row,
  };
}

/** A resume would run again what undid the rest, or only the Fail state behind it. */
const modeFor = (job: JobState, mode: RedriveMode): RedriveMode =>
  mode === 'auto' && job.failureCode !== null && isCompensated(job.failureCode) ? 'restart' : mode;

type FencePair = { readonly executionName: string; readonly redriveCount: number };

const nextFence = (job: JobState, mode: RedriveMode): FencePair =>
  mode === 'restart'
    ? { executionName: executionNameOf(job.jobId, job.run + 1), redriveCount: 0 }
    : { executionName: job.executionName, redriveCount: job.redriveCount + 1 };

const redriveMessage = (job: JobState, fence: FencePair, mode: RedriveMode) =>
  newEnvelope({
    messageType: 'JobRedriveRequested',
    payload: {
      jobId: job.jobId,
      tenantId: job.tenantId,
      type: job.type,
      run: job.run + 1,
      ...fence,
      mode,
      expectedRedriveCount: fence.redriveCount,
      previousExecutionName: job.executionName,
    },
    idempotencyKey: `redrive:${job.jobId}:${job.run + 1}`,
    producer: 'api',
    correlationId: job.correlationId,
    occurredAt: new Date(),
  });
