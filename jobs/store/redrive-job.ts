import type { Envelope } from '../envelope.ts';
import { firstLeaseSeconds, type OutboxRow } from './outbox.ts';
import type { JobState } from './stop-job.ts';
import type { Sql } from './connect.ts';
import { givenRows } from './given-rows.ts';
import { takeKey } from './ordering.ts';
import { inTransaction } from './transaction.ts';
import { isUniqueKeyTaken } from './unique-key.ts';

/** What a job's next run is opened with. */
export type NextRun = {
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
    if (!job.ordered) return await reopenOne(sql, { job, next, mayGo: true });
    return await inTransaction(sql, async (tx) => {
      const mayGo = await takeKey(tx, job.jobId);
      const reopened = await reopenOne(tx, { job, next, mayGo });
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

/** `mayGo` is false where its message waits for the job's turn in its ordering key. */
type Reopening = { readonly job: JobState; readonly next: NextRun; readonly mayGo: boolean };

async function reopenOne(sql: Sql, reopening: Reopening): Promise<Reopened | undefined> {
  const [reopened] = await reopenJobs(sql, [reopening]);
  return reopened;
}

/**
 * As reopenJob for several jobs in one statement, by their places; where one has a unique key that is taken, the whole
 * statement fails. Rows are locked in the order of their keys, so that two such statements never wait for each other
 * crosswise.
 */
export async function reopenJobs(
  sql: Sql,
  reopenings: readonly Reopening[],
): Promise<(Reopened | undefined)[]> {
  const rows = await sql<(OutboxRow & { place: number })[]>`
    with given as (
      ${givenRows(
        sql,
        reopenings.map(toGiven),
        sql`place integer, job_id uuid, status text, run integer, execution_name text, redrive_count integer,
            next_execution_name text, next_redrive_count integer, expires_at timestamptz, actor text, reason text,
            may_go boolean, message_id uuid, message_type text, envelope jsonb`,
      )}
    ),
    before as (
      select jobs.job_id, place
      from jobs join given using (job_id, status, run, execution_name, redrive_count)
      order by jobs.job_id
      for update of jobs
    ),
    reopened as (
      update jobs set status = 'PENDING', run = jobs.run + 1, execution_name = next_execution_name,
                      redrive_count = next_redrive_count, failure = null, finished_at = null, result = null,
                      held_since = null, held_because = null,
                      expires_at = given.expires_at, revision = revision + 1,
                      owner_until = least(case when may_go then now() + interval '5 minutes' end, given.expires_at)
      from before join given using (place) where jobs.job_id = before.job_id
      returning jobs.job_id, tenant_id, jobs.run, traceparent, place
    ),
    audited as (
      insert into job_events (job_id, tenant_id, run, actor, from_status, to_status, reason, details)
      select reopened.job_id, tenant_id, reopened.run, actor, status, 'PENDING', reason,
             jsonb_build_object('executionName', next_execution_name, 'redriveCount', next_redrive_count,
                                'previousExecutionName', execution_name)
      from reopened join given using (place)
    ),
    sent as (
      insert into outbox (message_id, tenant_id, destination, message_type, job_id, envelope, traceparent, attempts,
                          next_attempt_at)
      select message_id, tenant_id, 'job-requests', message_type, reopened.job_id, envelope, traceparent, may_go::integer,
             case when may_go then now() + make_interval(secs => ${firstLeaseSeconds}) else 'infinity' end
      from reopened join given using (place)
      returning message_id, tenant_id, destination, envelope, traceparent, attempts
    )
    select place, message_id as "messageId", tenant_id as "tenantId", destination, sent.envelope, traceparent, attempts
    from sent join given using (message_id)`;
  const found = new Map(rows.map(({ place, ...row }) => [place, row]));
  return reopenings.map(({ mayGo }, place) => {
    const row = found.get(place);
    return row === undefined ? undefined : { row: mayGo ? row : undefined };
  });
}

const toGiven = ({ job, next, mayGo }: Reopening, place: number) => ({
  place,
  job_id: job.jobId,
  status: job.status,
  run: job.run,
  execution_name: job.executionName,
  redrive_count: job.redriveCount,
  next_execution_name: next.executionName,
  next_redrive_count: next.redriveCount,
  expires_at: next.expiresAt,
  actor: next.actor,
  reason: next.reason,
  may_go: mayGo,
  message_id: next.message.messageId,
  message_type: next.message.messageType,
  envelope: next.message,
});
