import type { JobId, TenantId } from '../ids.ts';
import type { Sql } from './connect.ts';

/** A job that does not go on as it should, with why it is listed. */
export type StuckJob = {
  readonly jobId: JobId;
  readonly tenantId: TenantId;
  readonly type: string;
  readonly status: string;
  readonly executionName: string;
  readonly executionArn: string | null;
  readonly why: 'no-owner' | 'held' | 'slow' | 'waits-for-callback' | 'callback-held';
  /**
   * `no-owner`: since when nobody is known to look after it; `held`: since when it waits for a person; `slow`: since when
   * its run lasts; else: of the callback.
   */
  readonly since: Date;
  readonly ageSeconds: number;
  /** `slow`: what 99 of 100 jobs of its type stay under; null where too few are known and its timeout is the measure. */
  readonly usualSeconds: number | null;
  /** `held`: why its message is not sent again. */
  readonly heldReason: string | null;
};

/** Past their `owner_until`: the reconciler takes them once a minute. One index scan. */
export async function findJobsWithoutOwner(sql: Sql, limit: number): Promise<StuckJob[]> {
  return await sql<StuckJob[]>`
    select job_id as "jobId", tenant_id as "tenantId", type, status, execution_name as "executionName",
           execution_arn as "executionArn", 'no-owner' as why, owner_until as since,
           extract(epoch from now() - owner_until)::double precision as "ageSeconds",
           null::double precision as "usualSeconds", null as "heldReason"
    from jobs where owner_until < now() order by owner_until limit ${limit}`;
}

/** PENDING jobs that wait for a person, longest first (held-jobs.ts). One index scan. */
export async function findHeldJobs(sql: Sql, limit: number): Promise<StuckJob[]> {
  return await sql<StuckJob[]>`
    select job_id as "jobId", tenant_id as "tenantId", type, status, execution_name as "executionName",
           execution_arn as "executionArn", 'held' as why, held_since as since,
           extract(epoch from now() - held_since)::double precision as "ageSeconds",
           null::double precision as "usualSeconds", held_because as "heldReason"
    from jobs where held_since is not null and status = 'PENDING' order by held_since limit ${limit}`;
}

/** How many of the newest jobs tell what is usual, and how many of a type there must be among them. */
const sampleSize = 20_000;
const leastSample = 20;

/**
 * RUNNING jobs whose run lasts longer than 99 of 100 finished ones of their type, the slowest first. A type of which
 * too few are known is measured by its machine's own timeout.
 */
export async function findSlowJobs(
  sql: Sql,
  timeouts: readonly { readonly type: string; readonly timeoutSeconds: number }[],
  limit: number,
): Promise<StuckJob[]> {
  return await sql<StuckJob[]>`
    with usual as (
      select type, percentile_cont(0.99) within group (order by extract(epoch from finished_at - started_at)) as seconds
      from (select type, status, run, started_at, finished_at from jobs order by created_at desc limit ${sampleSize}) newest
      where status = 'SUCCEEDED' and run = 1
      group by type having count(*) >= ${leastSample}
    ),
    limits as (
      select type, "timeoutSeconds" from jsonb_to_recordset(${sql.json(timeouts)}) as l(type text, "timeoutSeconds" double precision)
    ),
    running as (
      select jobs.*, coalesce(event.at, started_at, created_at) as since from jobs
      left join lateral (
        select at from job_events
        where job_events.job_id = jobs.job_id and to_status = 'RUNNING' order by event_no desc limit 1
      ) event on true
      where status = 'RUNNING' order by created_at limit 1000
    )
    select job_id as "jobId", tenant_id as "tenantId", type, status, execution_name as "executionName",
           execution_arn as "executionArn", 'slow' as why, since,
           extract(epoch from now() - since)::double precision as "ageSeconds",
           usual.seconds as "usualSeconds", null as "heldReason"
    from running left join usual using (type) left join limits using (type)
    where extract(epoch from now() - since) > coalesce(greatest(usual.seconds, 1), "timeoutSeconds", 3600)
    order by since limit ${limit}`;
}

/**
 * RUNNING jobs that wait for a provider's answer, and answers that nothing will read, the oldest first. A waiting one
 * is no failure as such: its machine has a timeout for it.
 *
 * Each kind has its own index (callbacks_held, callbacks_waiting); with `or` neither was used, and every callback was read.
 */
export async function findJobsAtCallbacks(sql: Sql, limit: number): Promise<StuckJob[]> {
  return await sql<StuckJob[]>`
    with held as (
      select callback_id, 'callback-held' as why, held_at as since
      from callbacks where held_at is not null and resolved_at is null
      order by held_at limit ${limit}
    ),
    waiting as (
      select callback_id, 'waits-for-callback' as why, callbacks.created_at as since
      from callbacks join jobs using (job_id)
      where answered_at is null and settled_at is null and held_at is null and status = 'RUNNING'
      order by callbacks.created_at limit ${limit}
    )
    select job_id as "jobId", jobs.tenant_id as "tenantId", type, status, jobs.execution_name as "executionName",
           execution_arn as "executionArn", why, since,
           extract(epoch from now() - since)::double precision as "ageSeconds",
           null::double precision as "usualSeconds", null as "heldReason"
    from (select * from held union all select * from waiting) found
    join callbacks using (callback_id) join jobs using (job_id)
    order by since limit ${limit}`;
}
