import type { JobId, TenantId } from '../ids.ts';
import type { Sql } from './connect.ts';

/** A job past its `owner_until`, with what is known of its message. */
export type OwnerlessJob = {
  readonly jobId: JobId;
  readonly tenantId: TenantId;
  readonly type: string;
  readonly status: 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED' | 'EXPIRED';
  readonly executionName: string;
  readonly redriveCount: number;
  /** Past its `expiresAt`, and of a type that may still expire now. */
  readonly expired: boolean;
  /** The newest message to the dispatcher about the job: null where there is none any more. */
  readonly messageId: string | null;
  readonly publishedAt: Date | null;
  readonly idempotencyKey: string | null;
  /** How often the message was sent again because it seemed to be lost. */
  readonly resends: number;
  /** The code under which the message is kept in quarantine; null where it is not there. */
  readonly quarantinedAs: string | null;
  /** It waits for a person already. */
  readonly held: boolean;
  /** The dispatcher is done with it: sending it again would change nothing. */
  readonly messageDone: boolean;
  /** It waits for its turn in its ordering key: nobody sends its message yet. */
  readonly waitsInOrder: boolean;
};

/** The jobs that nobody is known to look after, longest first; one index scan. */
export async function findOwnerless(sql: Sql, limit: number): Promise<OwnerlessJob[]> {
  return await sql<OwnerlessJob[]>`
    select jobs.job_id as "jobId", jobs.tenant_id as "tenantId", type, jobs.status, execution_name as "executionName",
           redrive_count as "redriveCount", coalesce(expires_at <= now() and (stoppable = 'until-final' or started_at is null), false) as expired,
           message.message_id as "messageId", message.published_at as "publishedAt",
           message.idempotency_key as "idempotencyKey", coalesce(message.resends, 0) as resends,
           kept.code as "quarantinedAs", held_since is not null as held,
           coalesce(inbox.status in ('COMPLETED', 'FAILED_TERMINAL'), false) as "messageDone",
           coalesce(message.next_attempt_at = 'infinity', false) as "waitsInOrder"
    from jobs
    left join lateral (
      select message_id, published_at, next_attempt_at, resends, envelope ->> 'idempotencyKey' as idempotency_key from outbox
      where outbox.job_id = jobs.job_id and destination = 'job-requests' and message_type <> 'TaskCallbackReceived'
      order by created_at desc limit 1
    ) message on true
    left join worker_inbox inbox on inbox.tenant_id = jobs.tenant_id and inbox.idempotency_key = message.idempotency_key
    left join lateral (
      select code from quarantined_messages
      where quarantined_messages.job_id = jobs.job_id and quarantined_messages.idempotency_key = message.idempotency_key
        and queue = 'job-requests' and resolution is null
      limit 1
    ) kept on true
    where owner_until < now()
    order by owner_until
    limit ${limit}`;
}

export async function countOwnerless(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from jobs where owner_until < now()`;
  return row?.count ?? 0;
}

/** A job that waits for its turn is looked after by the one before it; only its own expiry is watched. */
export async function awaitTurn(sql: Sql, job: OwnerlessJob): Promise<void> {
  await sql`
    update jobs set owner_until = case when expires_at > now() then expires_at end
    where job_id = ${job.jobId} and status = 'PENDING'
      and exists (select from outbox where message_id = ${job.messageId} and next_attempt_at = 'infinity')`;
}

/** Gives the job an owner for `seconds`, where it still is as it was found. */
export async function extendOwner(sql: Sql, job: OwnerlessJob, seconds: number): Promise<void> {
  await sql`
    update jobs set owner_until = least(now() + make_interval(secs => ${seconds}),
                                        case when expires_at > now() then expires_at end)
    where job_id = ${job.jobId} and status = ${job.status} and execution_name = ${job.executionName}`;
}

/** Makes the job's message due again: the relay's sweep sends it, and the inbox drops it where it was done. */
export async function resend(sql: Sql, job: OwnerlessJob, ownerSeconds: number): Promise<void> {
  await sql`
    with due as (
      update outbox set published_at = null, next_attempt_at = now(), resends = resends + 1
      where message_id = ${job.messageId} and published_at is not null
      returning job_id
    )
    update jobs set owner_until = least(now() + make_interval(secs => ${ownerSeconds}),
                                        case when expires_at > now() then expires_at end)
    from due where jobs.job_id = due.job_id and status = 'PENDING'`;
}
