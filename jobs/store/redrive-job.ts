import type { Envelope } from '../envelope.ts';
import { firstLeaseSeconds, type OutboxRow } from './outbox.ts';
import type { JobState } from './stop-job.ts';
import type { Sql } from './connect.ts';
import { takeKey } from './ordering.ts';
import { inTransaction } from './transaction.ts';
import { isUniqueKeyTaken } from './unique-key.ts';

type NextRun = {
  readonly executionName: string;
  readonly redriveCount: number;
  readonly expiresAt: Date | null;
  readonly actor: string;
  readonly reason: string;
  readonly message: Envelope;
};

/**
 * Opens a job's next run: FAILED, CANCELLED or EXPIRED → PENDING with the new fence, audit row and outbox row in
 * one statement, where the job still is as `job` says; so two redrives at the same moment make one. Gives the
 * outbox row to publish, or undefined where the job has moved on. A job whose ordering key is held by another waits; one
 * whose unique key another open job has stays as it is.
 */
export async function reopenJob(
  sql: Sql,
  job: JobState,
  next: NextRun,
): Promise<Reopened | 'unique-key-taken' | undefined> {
  try {
    if (!job.ordered) return await writeReopening(sql, job, next, true);
    return await inTransaction(sql, async (tx) => {
      const mayGo = await takeKey(tx, job.jobId);
      const reopened = await writeReopening(tx, job, next, mayGo);
      // The key was taken for a job that has moved on: nothing of this transaction may stay.
      if (reopened === undefined) throw new JobMovedOn();
      return reopened;
    });
  } catch (error) {
    if (error instanceof JobMovedOn) return undefined;
    if (isUniqueKeyTaken(error)) return 'unique-key-taken';
    throw error;
  }
}

class JobMovedOn extends Error {
  override readonly name = 'JobMovedOn';
}

/** `row` is undefined where the job waits for its turn in its ordering key. */
export type Reopened = { readonly row: OutboxRow | undefined };

async function writeReopening(
  sql: Sql,
  job: JobState,
  next: NextRun,
  mayGo: boolean,
): Promise<Reopened | undefined> {
  const [row] = await sql<OutboxRow[]>`
    with reopened as (
      update jobs set status = 'PENDING', run = run + 1, execution_name = ${next.executionName},
                      redrive_count = ${next.redriveCount}, failure = null, finished_at = null, result = null,
                      held_since = null, held_because = null,
                      expires_at = ${next.expiresAt}, revision = revision + 1,
                      owner_until = least(${mayGo ? sql`now() + interval '5 minutes'` : null}, ${next.expiresAt}::timestamptz)
      where job_id = ${job.jobId} and status = ${job.status} and execution_name = ${job.executionName}
        and redrive_count = ${job.redriveCount} and run = ${job.run}
      returning job_id, tenant_id, run, traceparent
    ),
    audited as (
      insert into job_events (job_id, tenant_id, run, actor, from_status, to_status, reason, details)
      select job_id, tenant_id, run, ${next.actor}, ${job.status}, 'PENDING', ${next.reason},
             jsonb_build_object('executionName', ${next.executionName}::text,
                                'redriveCount', ${next.redriveCount}::integer,
                                'previousExecutionName', ${job.executionName}::text)
      from reopened
    )
    insert into outbox (message_id, tenant_id, destination, message_type, job_id, envelope, traceparent, attempts,
                        next_attempt_at)
    select ${next.message.messageId}::uuid, tenant_id, 'job-requests', ${next.message.messageType}, job_id,
           ${sql.json(next.message)}::jsonb, traceparent, ${mayGo ? 1 : 0}::integer,
           ${mayGo ? sql`now() + make_interval(secs => ${firstLeaseSeconds})` : sql`'infinity'`}
    from reopened
    returning message_id as "messageId", tenant_id as "tenantId", destination, envelope, traceparent, attempts`;
  if (row === undefined) return undefined;
  return { row: mayGo ? row : undefined };
}
