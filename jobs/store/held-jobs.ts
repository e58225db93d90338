import type { JobId } from '../ids.ts';
import type { MessageName } from '../message-name.ts';
import type { Sql } from './connect.ts';
import type { OwnerlessJob } from './ownerless.ts';

/** Until when the message of a job that is let go has to be taken, before the reconciler asks what became of it. */
const ownerSeconds = 300;

/**
 * Leaves a PENDING job to a person: its message is not sent again by itself. Only its expiry is watched from now on.
 * A job that waits for one already keeps the reason it has.
 */
export async function holdJob(sql: Sql, job: OwnerlessJob, reason: string): Promise<void> {
  await sql`
    update jobs set held_since = coalesce(held_since, now()), held_because = coalesce(held_because, ${reason}),
                    owner_until = case when expires_at > now() then expires_at end
    where job_id = ${job.jobId} and status = 'PENDING' and execution_name = ${job.executionName}
      and redrive_count = ${job.redriveCount}
      and exists (select from outbox where message_id = ${job.messageId} and published_at is not null)`;
}

export async function countHeldJobs(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from jobs where held_since is not null and status = 'PENDING'`;
  return row?.count ?? 0;
}

/**
 * Lets the jobs of messages go that an operator has sent to their queue again: each may be sent again as often as at
 * first. Gives how many were held.
 */
export async function releaseJobs(sql: Sql, names: readonly MessageName[]): Promise<number> {
  const keyed = names.filter(({ idempotencyKey }) => idempotencyKey !== null);
  if (keyed.length === 0) return 0;
  const rows = await sql`
    with message as (
      update outbox set resends = 0
      from jsonb_to_recordset(${sql.json(keyed)}) as sent("jobId" uuid, "idempotencyKey" text)
      where outbox.job_id = sent."jobId" and destination = 'job-requests'
        and envelope ->> 'idempotencyKey' = sent."idempotencyKey"
      returning outbox.job_id
    )
    update jobs set held_since = null, held_because = null, owner_until = ${ownedFromNow(sql)}
    from message where jobs.job_id = message.job_id and held_since is not null and status = 'PENDING'
    returning jobs.job_id`;
  return rows.length;
}

/**
 * Lets a held job go and makes its message due: the relay's sweep sends it. The run stays the same, for nothing of it
 * has begun. Gives false where nobody holds the job any more.
 */
export async function sendHeldAgain(
  sql: Sql,
  jobId: JobId,
  by: { readonly actor: string; readonly reason: string; readonly expiresAt: Date | null },
): Promise<boolean> {
  const rows = await sql`
    with released as (
      update jobs set held_since = null, held_because = null, expires_at = coalesce(${by.expiresAt}, expires_at),
                      owner_until = ${ownedFromNow(sql, by.expiresAt)}
      where job_id = ${jobId} and held_since is not null and status = 'PENDING'
      returning job_id, tenant_id, run
    ),
    due as (
      update outbox set published_at = null, next_attempt_at = now(), resends = 0
      where message_id = (
        select message_id from outbox join released using (job_id)
        where destination = 'job-requests' and message_type <> 'TaskCallbackReceived'
        order by created_at desc limit 1)
    )
    insert into job_events (job_id, tenant_id, run, actor, from_status, to_status, reason)
    select job_id, tenant_id, run, ${by.actor}, 'PENDING', 'PENDING', ${by.reason} from released
    returning event_no`;
  return rows.length === 1;
}

/** Never beyond its expiry, nor at one that has passed. */
const ownedFromNow = (sql: Sql, expiresAt: Date | null = null) => sql`
  least(now() + make_interval(secs => ${ownerSeconds}),
        case when coalesce(${expiresAt}, expires_at) > now() then coalesce(${expiresAt}, expires_at) end)`;
