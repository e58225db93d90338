import { newEnvelope } from './envelope.ts';
import { crashPoint } from './crash-point.ts';
import type { JobId, TenantId } from './ids.ts';
import type { Sql } from './store/connect.ts';
import type { OutboxRow } from './store/outbox.ts';
import { findJobState, type JobState, stopJob } from './store/stop-job.ts';

export type StopOutcome =
  | { readonly outcome: 'not-found' }
  /** It had that status already: asking twice is fine. */
  | { readonly outcome: 'already-stopped'; readonly job: JobState }
  /** It has ended otherwise, or moved on to another run than `onlyRun`; nothing changed. */
  | { readonly outcome: 'final'; readonly job: JobState }
  /** Its type compensates by itself what it has begun, so it is let go on; nothing changed. */
  | { readonly outcome: 'begun'; readonly job: JobState }
  | { readonly outcome: 'stopped'; readonly job: JobState; readonly row: OutboxRow };

type Request = {
  readonly jobId: JobId;
  readonly tenantId: TenantId | undefined;
  readonly actor: string;
  readonly reason: string;
  readonly producer: 'api' | 'worker';
  /** Stop it only as it stands in this run. */
  readonly onlyRun?: number;
};

const open = new Set(['PENDING', 'RUNNING']);

/** Also a FAILED job that blocks its ordering key can be cancelled: that lets the next one go. */
const stoppable = (job: JobState, to: 'CANCELLED' | 'EXPIRED'): boolean =>
  open.has(job.status) || (to === 'CANCELLED' && job.status === 'FAILED' && job.holdsKey);

/** Cancels an open job: status, audit and stop message commit together; the dispatcher stops the execution. */
export const requestCancel = (sql: Sql, request: Request): Promise<StopOutcome> =>
  requestStop(sql, request, 'CANCELLED');

/** Ends an open job whose `expiresAt` has passed. */
export const requestExpiry = (sql: Sql, request: Request): Promise<StopOutcome> =>
  requestStop(sql, request, 'EXPIRED');

async function requestStop(
  sql: Sql,
  request: Request,
  to: 'CANCELLED' | 'EXPIRED',
): Promise<StopOutcome> {
  // Each turn that finds the job changed under its hands looks again; a job has only so many changes in it.
  for (;;) {
    const job = await findJobState(sql, request.jobId, request.tenantId);
    if (job === undefined) return { outcome: 'not-found' };
    if (job.run !== (request.onlyRun ?? job.run)) return { outcome: 'final', job };
    if (job.status === to) return { outcome: 'already-stopped', job };
    if (!stoppable(job, to)) return { outcome: 'final', job };
    if (job.pastStopping) return { outcome: 'begun', job };
    const { actor, reason } = request;
    crashPoint('before-cancel-commit');
    const row = await stopJob(sql, job, {
      to,
      actor,
      reason,
      message: stopMessage(job, to, request),
    });
    crashPoint('after-cancel-commit');
    if (row !== undefined) return { outcome: 'stopped', job: { ...job, status: to }, row };
  }
}

const stopMessage = (job: JobState, status: 'CANCELLED' | 'EXPIRED', request: Request) =>
  newEnvelope({
    messageType: 'JobStopRequested',
    payload: {
      jobId: job.jobId,
      tenantId: job.tenantId,
      type: job.type,
      run: job.run,
      executionName: job.executionName,
      redriveCount: job.redriveCount,
      status,
    },
    // By the run: a count that was ahead of Step Functions is corrected, and may be stopped a second time.
    idempotencyKey: `stop:${job.jobId}:${job.run}:${status}`,
    producer: request.producer,
    correlationId: job.correlationId,
    occurredAt: new Date(),
  });
