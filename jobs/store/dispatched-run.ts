import type { InboxClaim } from './inbox.ts';
import type { Sql } from './connect.ts';
import { givenRows } from './given-rows.ts';
import { keptFragment } from './kept-fragment.ts';
import type { Fence } from './open-run.ts';

/** What Step Functions has answered for a run, and how long its execution may take. */
export type StartedExecution = {
  readonly executionArn: string;
  readonly executionName: string;
  readonly redriveCount: number;
  readonly timeoutSeconds: number;
};

/** Time for the status-change event of an execution that timed out to arrive before somebody looks for the job. */
const eventAllowanceSeconds = 60;

/** A start to be recorded: the claim of its message, which is closed with `outcome`. */
export type Start = StartedExecution & {
  readonly claim: InboxClaim;
  readonly jobId: string;
  readonly outcome: string;
};

const startColumns = keptFragment(
  (sql) => sql`
  place integer, tenant_id text, idempotency_key text, lease_token uuid, outcome text, job_id uuid,
  execution_arn text, execution_name text, redrive_count integer, timeout_seconds double precision`,
);

/**
 * Records that executions run, moves their PENDING jobs to RUNNING and closes the messages, in one statement.
 * Gives the status that each job had before, by the starts' places; undefined where it has moved on. A task may have
 * been faster, and the job may have been cancelled while the execution was started (then the caller stops it).
 *
 * Rows are locked in the order of their keys, so that two such statements, or one and claimMessages, never wait for each
 * other crosswise.
 */
export async function recordStarts(
  sql: Sql,
  starts: readonly Start[],
): Promise<(string | undefined)[]> {
  const rows = await sql<{ place: number; status: string }[]>`
    with given as (
      ${givenRows(sql, starts.map(toGiven), startColumns(sql))}
    ),
    held as (
      select tenant_id, idempotency_key, given.outcome
      from worker_inbox join given using (tenant_id, idempotency_key, lease_token)
      order by tenant_id, idempotency_key
      for update of worker_inbox
    ),
    closed as (
      update worker_inbox as inbox
      set status = 'COMPLETED', outcome = held.outcome, lease_token = null, lease_until = null, updated_at = now()
      from held
      where inbox.tenant_id = held.tenant_id and inbox.idempotency_key = held.idempotency_key
    ),
    before as (
      select jobs.job_id, jobs.status, place, given.execution_arn, timeout_seconds, outcome
      from jobs join given using (job_id, execution_name, redrive_count)
      order by jobs.job_id
      for update of jobs
    ),
    started as (
      update jobs set
        -- Its own column, not before.status: the first try is made of the row as the snapshot has it, and constraints
        -- are checked on it before PostgreSQL sees that the row has changed and tries again with the newest.
        status = case when jobs.status = 'PENDING' then 'RUNNING' else jobs.status end,
        execution_arn = before.execution_arn,
        -- Nothing that is shown changes where a task was faster: whoever watches the job is not woken.
        revision = revision + (jobs.status = 'PENDING')::integer,
        started_at = coalesce(started_at, now()),
        owner_until = case when jobs.status in ('PENDING', 'RUNNING')
          then least(now() + make_interval(secs => timeout_seconds + ${eventAllowanceSeconds}), expires_at)
          else owner_until end
      from before where jobs.job_id = before.job_id
      returning jobs.job_id, tenant_id, run, execution_name, redrive_count, place, outcome,
                before.status as from_status
    ),
    audited as (
      insert into job_events (job_id, tenant_id, run, actor, from_status, to_status, reason, details)
      select job_id, tenant_id, run, 'dispatcher', 'PENDING', 'RUNNING', outcome,
             jsonb_build_object('executionName', execution_name, 'redriveCount', redrive_count)
      from started where from_status = 'PENDING'
    )
    select place, from_status as status from started`;
  const statuses = new Map(rows.map(({ place, status }) => [place, status]));
  return starts.map((_, place) => statuses.get(place));
}

const toGiven = (start: Start, place: number) => ({
  place,
  tenant_id: start.claim.tenantId,
  idempotency_key: start.claim.idempotencyKey,
  lease_token: start.claim.leaseToken,
  outcome: start.outcome,
  job_id: start.jobId,
  execution_arn: start.executionArn,
  execution_name: start.executionName,
  redrive_count: start.redriveCount,
  timeout_seconds: start.timeoutSeconds,
});

/**
 * Commits that a refused redrive becomes a new execution, before that is started: a redelivery then follows the
 * row. Gives false where the job has moved on.
 */
export async function recordRestart(
  sql: Sql,
  jobId: string,
  from: { readonly executionName: string; readonly redriveCount: number },
  executionName: string,
  reason: string,
): Promise<boolean> {
  const rows = await sql`
    with restarted as (
      update jobs set execution_name = ${executionName}, redrive_count = 0, execution_arn = null,
                      revision = revision + 1
      where job_id = ${jobId} and execution_name = ${from.executionName}
        and redrive_count = ${from.redriveCount} and status = 'PENDING'
      returning job_id, tenant_id, run
    )
    insert into job_events (job_id, tenant_id, run, actor, from_status, to_status, reason)
    select job_id, tenant_id, run, 'dispatcher', 'PENDING', 'PENDING', ${reason} from restarted
    returning event_no`;
  return rows.length === 1;
}

/**
 * Sets the fence's count by what Step Functions shows, so that the tasks and the ending which belong to it are taken.
 * Gives false where the job has moved on.
 */
export async function correctRedriveCount(
  sql: Sql,
  jobId: string,
  executionName: string,
  counts: { readonly from: number; readonly to: number },
): Promise<boolean> {
  const rows = await sql`
    update jobs set redrive_count = ${counts.to}, revision = revision + 1
    where job_id = ${jobId} and execution_name = ${executionName}
      and redrive_count = ${counts.from} and status = 'PENDING'
    returning job_id`;
  return rows.length === 1;
}

/**
 * What a job shows of a fence: `ended` where it has ended under it or a later one and nobody has to look after it any more,
 * `running` where it is RUNNING under it. undefined: something is still to be written.
 */
export type Shown = 'running' | 'ended';

const fenceColumns = keptFragment(
  (sql) => sql`
  place integer, "jobId" uuid, "executionName" text, "redriveCount" integer`,
);

/** By the fences' places: one read in place of writes that find no row, for an execution's event tells mostly what is known. */
export async function findShown(
  sql: Sql,
  fences: readonly Fence[],
): Promise<(Shown | undefined)[]> {
  const rows = await sql<{ place: number; shown: Shown }[]>`
    with given as (
      ${givenRows(
        sql,
        fences.map((fence, place) => ({ place, ...fence })),
        fenceColumns(sql),
      )}
    )
    select place, case status when 'RUNNING' then 'running' else 'ended' end as shown
    from given join jobs on job_id = "jobId" and execution_name = "executionName"
    where (status = 'RUNNING' and redrive_count = "redriveCount")
      or (status in ('SUCCEEDED', 'FAILED', 'CANCELLED', 'EXPIRED') and redrive_count >= "redriveCount"
        and owner_until is null)`;
  const found = new Map(rows.map(({ place, shown }) => [place, shown]));
  return fences.map((_, place) => found.get(place));
}

/**
 * Lets go of a final job: its execution is known to be closed under this redrive count, so nobody has to look after it.
 * A late word of an earlier count says nothing about a redrive that may be running.
 */
export async function releaseOwner(sql: Sql, fence: Fence): Promise<void> {
  await sql`
    update jobs set owner_until = null
    where job_id = ${fence.jobId} and execution_name = ${fence.executionName}
      and redrive_count <= ${fence.redriveCount} and owner_until is not null
      and status in ('SUCCEEDED', 'FAILED', 'CANCELLED', 'EXPIRED')`;
}
