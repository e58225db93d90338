import postgres from 'postgres';
import { crashPoint } from '../crash-point.ts';
import type { JobId } from '../ids.ts';
import type { Sql } from './connect.ts';
import { inTransaction, type Transaction } from './transaction.ts';

/** How long after it is due a job belongs to the relay; after it the reconciler asks what became of it. */
export const relayAllowanceSeconds = 120;

/** Whether jobs of its ordering key wait for this one. */
export async function isOrdered(sql: Sql, jobId: JobId): Promise<boolean> {
  const rows = await sql`select from jobs where job_id = ${jobId} and ordering_key is not null`;
  return rows.length === 1;
}

/**
 * Ends a job and hands its ordering key on, in one transaction: `end` writes the ending and says whether the key is
 * to be let go. The key is locked first, so that what `end` and the handing on read holds all submits of the key.
 */
export async function endInOrder<Ended>(
  sql: Sql,
  jobId: JobId,
  end: (tx: Transaction) => Promise<{ readonly ended: Ended; readonly lettingGo: boolean }>,
): Promise<Ended> {
  return await inTransaction(sql, async (tx) => {
    await lockKeyOf(tx, jobId);
    const { ended, lettingGo } = await end(tx);
    crashPoint('before-ordering-key-handed-on');
    if (lettingGo) await handOn(tx, jobId);
    return ended;
  });
}

async function lockKeyOf(tx: Transaction, jobId: JobId): Promise<void> {
  await tx`
    select from ordering_keys join jobs using (tenant_id, ordering_key)
    where jobs.job_id = ${jobId} for update of ordering_keys`;
}

/** Makes the lowest PENDING job of the key due, where `jobId` holds it; without one the key is free. */
async function handOn(tx: Transaction, jobId: JobId): Promise<void> {
  const [next] = await tx<{ jobId: JobId }[]>`
    select jobs.job_id as "jobId" from ordering_keys join jobs using (tenant_id, ordering_key)
    where current_job = ${jobId} and status = 'PENDING' and job_id <> ${jobId}
    order by accepted_no limit 1`;
  if (next === undefined) {
    await tx`delete from ordering_keys where current_job = ${jobId}`;
    return;
  }
  await tx`
    with held as (
      update ordering_keys set current_job = ${next.jobId} where current_job = ${jobId} returning current_job
    ),
    due as (
      update jobs set owner_until = least(greatest(now(), not_before) + make_interval(secs => ${relayAllowanceSeconds}),
                                          expires_at)
      from held where job_id = held.current_job
      returning job_id, not_before
    )
    update outbox set next_attempt_at = greatest(now(), due.not_before)
    from due where outbox.job_id = due.job_id and published_at is null and next_attempt_at = 'infinity'`;
}

/** Which job holds the ordering key of this one. */
export async function whoHoldsKey(sql: Sql, jobId: JobId): Promise<JobId | undefined> {
  const [row] = await sql<{ jobId: JobId }[]>`
    select current_job as "jobId" from ordering_keys join jobs using (tenant_id, ordering_key)
    where jobs.job_id = ${jobId}`;
  return row?.jobId;
}

/** Whether two at once have taken the key for the same job: the other one has it for him. */
export const isKeyTakenTwice = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && error.constraint_name === 'ordering_keys_current_job';

/**
 * Takes the key for a job that is reopened, where nobody holds it; gives whether the job may go at once. In the
 * transaction that reopens it.
 */
export async function takeKey(tx: Transaction, jobId: JobId): Promise<boolean> {
  const [row] = await tx<{ mine: boolean }[]>`
    insert into ordering_keys as k (tenant_id, ordering_key, current_job)
    select tenant_id, ordering_key, job_id from jobs where job_id = ${jobId} and ordering_key is not null
    on conflict (tenant_id, ordering_key) do update set current_job = k.current_job
    returning current_job = ${jobId} as mine`;
  return row?.mine ?? true;
}
