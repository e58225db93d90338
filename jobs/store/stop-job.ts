import type { Envelope } from '../envelope.ts';
import type { JobId, TenantId } from '../ids.ts';
import { firstLeaseSeconds, type OutboxRow } from './outbox.ts';
import type { Sql } from './connect.ts';
import { givenRows } from './given-rows.ts';
import { endInOrder } from './ordering.ts';

/** A job as whoever stops or redrives it finds it. */
export type JobState = {
  readonly jobId: JobId;
  readonly tenantId: TenantId;
  readonly type: string;
  readonly status: 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED' | 'EXPIRED';
  readonly run: number;
  readonly executionName: string;
  readonly redriveCount: number;
  readonly correlationId: string;
  readonly traceparent: string | null;
  readonly ordered: boolean;
  readonly hasUniqueKey: boolean;
  /** `failure.code`; null unless it is FAILED. */
  readonly failureCode: string | null;
  /** Whether it is at work on what it alone can undo: then it is neither cancelled nor expires. */
  readonly pastStopping: boolean;
  /** Whether other jobs of its ordering key wait for this one. */
  readonly holdsKey: boolean;
  /** PENDING, and its message is not sent again until a person acts. */
  readonly held: boolean;
};

/** `tenantId` undefined: an operator, who sees the jobs of all tenants. */
export async function findJobState(
  sql: Sql,
  jobId: JobId,
  tenantId: TenantId | undefined,
): Promise<JobState | undefined> {
  const [row] = await sql<JobState[]>`
    select ${stateColumns(sql)}
    from jobs where job_id = ${jobId} and (${tenantId ?? null}::text is null or tenant_id = ${tenantId ?? null})`;
  return row;
}

/** As findJobState, by the ids' places, for whoever sees the jobs of all tenants. */
export async function findJobStates(
  sql: Sql,
  jobIds: readonly JobId[],
): Promise<(JobState | undefined)[]> {
  const rows = await sql<JobState[]>`
    select ${stateColumns(sql)}
    from jobs where job_id in (${givenRows(
      sql,
      jobIds.map((jobId) => ({ jobId })),
      sql`"jobId" uuid`,
    )})`;
  const found = new Map(rows.map((job) => [job.jobId, job]));
  return jobIds.map((jobId) => found.get(jobId));
}

const stateColumns = (sql: Sql) => sql`
  job_id as "jobId", tenant_id as "tenantId", type, status, run, execution_name as "executionName",
  redrive_count as "redriveCount", correlation_id as "correlationId", traceparent,
  ordering_key is not null as ordered, unique_key is not null as "hasUniqueKey", failure ->> 'code' as "failureCode",
  (stoppable = 'until-started' and started_at is not null and status <> 'FAILED') as "pastStopping",
  exists (select from ordering_keys where current_job = jobs.job_id) as "holdsKey",
  (held_since is not null and status = 'PENDING') as held`;

type Stop = {
  readonly to: 'CANCELLED' | 'EXPIRED';
  readonly actor: string;
  readonly reason: string;
  readonly message: Envelope;
};

/**
 * Writes CANCELLED or EXPIRED, the audit row and the outbox row of JobStopRequested in one statement, where the
 * job still is as `job` says. Gives the outbox row to publish, or undefined where the job has moved on.
 * The job keeps an owner until its execution is seen closed; its ordering key goes on to the next at once, since the
 * fence keeps a stopped job's tasks from writing.
 */
export async function stopJob(sql: Sql, job: JobState, stop: Stop): Promise<OutboxRow | undefined> {
  if (!job.ordered) return await writeStop(sql, job, stop);
  return await endInOrder(sql, job.jobId, async (tx) => {
    const ended = await writeStop(tx, job, stop);
    return { ended, lettingGo: ended !== undefined };
  });
}

async function writeStop(sql: Sql, job: JobState, stop: Stop): Promise<OutboxRow | undefined> {
  const [row] = await sql<OutboxRow[]>`
    with stopped as (
      update jobs set status = ${stop.to}, finished_at = now(), failure = null, revision = revision + 1,
                      owner_until = now() + interval '5 minutes'
      where job_id = ${job.jobId} and status = ${job.status} and execution_name = ${job.executionName}
        and redrive_count = ${job.redriveCount}
        and (stoppable = 'until-final' or started_at is null or status = 'FAILED')
      returning job_id, tenant_id, run, traceparent
    ),
    audited as (
      insert into job_events (job_id, tenant_id, run, actor, from_status, to_status, reason)
      select job_id, tenant_id, run, ${stop.actor}, ${job.status}, ${stop.to}, ${stop.reason} from stopped
    )
    insert into outbox (message_id, tenant_id, destination, message_type, job_id, envelope, traceparent, attempts,
                        next_attempt_at)
    select ${stop.message.messageId}::uuid, tenant_id, 'job-requests', ${stop.message.messageType}, job_id,
           ${sql.json(stop.message)}::jsonb, traceparent, 1, now() + make_interval(secs => ${firstLeaseSeconds})
    from stopped
    returning message_id as "messageId", tenant_id as "tenantId", destination, envelope, traceparent, attempts`;
  return row;
}
