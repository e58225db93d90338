import { closing, type InboxClaim } from './inbox.ts';
import type { Sql } from './connect.ts';
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

/**
 * Records that the execution runs, moves a PENDING job to RUNNING and closes the message, in one statement.
 * Gives the status that the job had before: a task may have been faster, and the job may have been cancelled
 * while the execution was started (then the caller stops it).
 */
export async function recordStarted(
  sql: Sql,
  claim: InboxClaim,
  jobId: string,
  started: StartedExecution,
  outcome: string,
): Promise<string | undefined> {
  const { executionArn, executionName, redriveCount, timeoutSeconds } = started;
  const [row] = await sql<{ status: string }[]>`
    with closed as (${closing(sql, claim, 'COMPLETED', outcome)}),
    before as (
      select job_id, status from jobs
      where job_id = ${jobId} and execution_name = ${executionName} and redrive_count = ${redriveCount}
      for update
    ),
    started as (
      update jobs set
        -- Its own column, not before.status: the first try is made of the row as the snapshot has it, and constraints
        -- are checked on it before PostgreSQL sees that the row has changed and tries again with the newest.
        status = case when jobs.status = 'PENDING' then 'RUNNING' else jobs.status end,
        execution_arn = ${executionArn}, revision = revision + 1,
        started_at = coalesce(started_at, now()),
        owner_until = case when jobs.status in ('PENDING', 'RUNNING')
          then least(now() + make_interval(secs => ${timeoutSeconds + eventAllowanceSeconds}), expires_at)
          else owner_until end
      from before where jobs.job_id = before.job_id
      returning jobs.job_id, tenant_id, run, before.status as from_status
    ),
    audited as (
      insert into job_events (job_id, tenant_id, run, actor, from_status, to_status, reason, details)
      select job_id, tenant_id, run, 'dispatcher', 'PENDING', 'RUNNING', ${outcome},
             jsonb_build_object('executionName', ${executionName}::text, 'redriveCount', ${redriveCount}::integer)
      from started where from_status = 'PENDING'
    )
    select from_status as status from started`;
  return row?.status;
}

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
 * Whether the job has ended under this fence or a later one, and nobody has to look after it any more: then an
 * ending of its execution changes nothing. One read in place of two writes that find no row.
 */
export async function hasEnded(sql: Sql, fence: Fence): Promise<boolean> {
  const rows = await sql`
    select from jobs
    where job_id = ${fence.jobId} and execution_name = ${fence.executionName}
      and redrive_count >= ${fence.redriveCount} and owner_until is null
      and status in ('SUCCEEDED', 'FAILED', 'CANCELLED', 'EXPIRED')`;
  return rows.length === 1;
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
