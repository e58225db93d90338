import type { JobId, TenantId } from '../ids.ts';
import { Terminal } from '../failure.ts';
import type { Sql } from './connect.ts';
import { keptFragment } from './kept-fragment.ts';
import { isKeyTakenTwice, takeKey, whoHoldsKey } from './ordering.ts';
import { inTransaction } from './transaction.ts';
import { isUniqueKeyTaken, whoHasUniqueKey } from './unique-key.ts';

/**
 * Under what a task, an effect or an event writes: the execution's name and its redrive count, both from the
 * execution's own context object. An older pair changes nothing; a higher count raises the job.
 */
export type Fence = {
  readonly jobId: JobId;
  readonly executionName: string;
  readonly redriveCount: number;
};

/** What a task may know of its job. */
export type OpenJob = {
  readonly jobId: JobId;
  readonly tenantId: TenantId;
  readonly type: string;
  readonly run: number;
  readonly acceptedNo: string;
  readonly input: unknown;
  readonly payloadRef: unknown;
  readonly payloadPin: unknown;
  readonly correlationId: string;
  readonly traceparent: string | null;
};

type Row = OpenJob & {
  readonly status: string;
  readonly executionName: string;
  readonly redriveCount: number;
  /** It has an ordering key, and another job holds it, or nobody. */
  readonly withoutItsKey: boolean;
};

/**
 * The execution was redriven outside Pawl while another job has what only one open job may have. The job stays as it
 * is; its execution is to be stopped, and may be redriven when the other one is final.
 */
export class KeyInUse extends Terminal {
  constructor(fence: Fence, key: 'ordering key' | 'uniqueKey', holder: JobId | undefined) {
    const who = holder === undefined ? 'another job, which has ended meanwhile' : `job ${holder}`;
    super(
      'JOB_NOT_RUNNABLE',
      `execution ${fence.executionName}, redrive ${fence.redriveCount}: the job’s ${key} is in use by ${who}; redrive it when that one is final`,
    );
  }
}

/** Who redrove it outside Pawl told nobody how long it may take: after this the reconciler looks for itself. */
const raisedOwnerSeconds = 300;

/** Opens the run of a fence; `actor` is for the audit trail. */
export type OpenRun = (sql: Sql, fence: Fence, actor: string) => Promise<OpenJob>;

/**
 * The first thing every task does: reads its job and, where the job does not show it yet, moves it to RUNNING
 * under this fence. A redrive made outside Pawl is seen here as a higher count, and opens the job's next run,
 * also from FAILED. Writes nothing when the job is RUNNING under this very fence already.
 *
 * Throws Terminal JOB_NOT_RUNNABLE where the job is not open under the fence; KeyInUse where it cannot be opened,
 * because another job has its ordering key or its uniqueKey.
 */
export const openRun: OpenRun = async (sql, fence, actor) => {
  const row = await raise(sql, fence, actor);
  if (row === undefined) throw notRunnable(fence, 'there is no such job');
  const { status, executionName, redriveCount, withoutItsKey: _, ...job } = row;
  if (executionName !== fence.executionName || redriveCount !== fence.redriveCount) {
    throw notRunnable(fence, `the job has moved on to ${executionName}, redrive ${redriveCount}`);
  }
  if (status !== 'RUNNING') throw notRunnable(fence, `the job is ${status}`);
  return job;
};

/**
 * As openRun for a child of a distributed Map, which never moves the job. A redriven child keeps its first input, so the
 * redrive count in it may be of old: it goes on as long as the execution is the job's and nobody stopped the job.
 *
 * Throws Terminal JOB_NOT_RUNNABLE where it is not.
 */
export async function openChildRun(sql: Sql, fence: Fence): Promise<OpenJob> {
  const row = await read(sql, fence);
  if (row === undefined) throw notRunnable(fence, 'there is no such job');
  const { status, executionName, redriveCount: _count, withoutItsKey: _key, ...job } = row;
  if (executionName !== fence.executionName) {
    throw notRunnable(fence, `the job has moved on to ${executionName}`);
  }
  if (status === 'CANCELLED' || status === 'EXPIRED') {
    throw notRunnable(fence, `the job is ${status}`);
  }
  return job;
}

/** The same condition as in the statement below. */
const isRaisable = (row: Row, fence: Fence): boolean =>
  row.executionName === fence.executionName &&
  ((row.redriveCount === fence.redriveCount && row.status === 'PENDING') ||
    (row.redriveCount < fence.redriveCount &&
      ['PENDING', 'RUNNING', 'FAILED'].includes(row.status)));

async function read(sql: Sql, { jobId }: Fence): Promise<Row | undefined> {
  const [row] = await sql<Row[]>`select ${columns(sql)} from jobs where job_id = ${jobId}`;
  return row;
}

/** Raises the job, if the fence can, and reads it. */
async function raise(sql: Sql, fence: Fence, actor: string): Promise<Row | undefined> {
  try {
    let row = await raiseOrRead(sql, fence, actor);
    // Where somebody else raises it between the statement's snapshot and its lock, what was read is of before.
    while (row !== undefined && isRaisable(row, fence)) {
      row = await (row.withoutItsKey ? raiseWithKey : raiseOrRead)(sql, fence, actor);
    }
    return row;
  } catch (error) {
    if (!isUniqueKeyTaken(error)) throw error;
    throw new KeyInUse(fence, 'uniqueKey', await whoHasUniqueKey(sql, fence.jobId));
  }
}

/** A FAILED job may have let its ordering key go: it takes it again, or stays as it is. */
async function raiseWithKey(sql: Sql, fence: Fence, actor: string): Promise<Row | undefined> {
  try {
    return await inTransaction(sql, async (tx) => {
      if (!(await takeKey(tx, fence.jobId)))
        throw new KeyInUse(fence, 'ordering key', await whoHoldsKey(tx, fence.jobId));
      const row = await raiseOrRead(tx, fence, actor);
      if (row?.status === 'RUNNING') return row;
      // It was ended meanwhile: the key was taken for nothing.
      throw notRunnable(fence, `the job is ${row?.status ?? 'gone'}`);
    });
  } catch (error) {
    if (!isKeyTakenTwice(error)) throw error;
    return await read(sql, fence);
  }
}

/** In one statement; a job without its key is only read. */
async function raiseOrRead(sql: Sql, fence: Fence, actor: string): Promise<Row | undefined> {
  const { jobId, executionName, redriveCount } = fence;
  const [row] = await sql<Row[]>`
    with raised as (
      update jobs set
        status = 'RUNNING', redrive_count = ${redriveCount}, revision = revision + 1,
        run = run + (redrive_count < ${redriveCount})::integer,
        started_at = coalesce(started_at, now()), finished_at = null, failure = null,
        -- A FAILED job had no owner; now there is an execution to look after again.
        owner_until = coalesce(owner_until, least(now() + make_interval(secs => ${raisedOwnerSeconds}), expires_at))
      where job_id = ${jobId} and execution_name = ${executionName}
        and ((redrive_count = ${redriveCount} and status = 'PENDING')
          or (redrive_count < ${redriveCount} and status in ('PENDING', 'RUNNING', 'FAILED')))
        and not ${withoutItsKey(sql)}
      returning jobs.*, old.status as from_status, old.redrive_count as from_count
    ),
    audited as (
      insert into job_events (job_id, tenant_id, run, actor, from_status, to_status, reason, details)
      select job_id, tenant_id, run, ${actor}, from_status, 'RUNNING',
             case when from_count < redrive_count then 'redriven from outside' else 'its execution runs' end,
             jsonb_build_object('executionName', execution_name, 'redriveCount', redrive_count)
      from raised
    )
    select ${columns(sql)} from raised
    union all
    select ${columns(sql)} from jobs where job_id = ${jobId} and not exists (select from raised)`;
  return row;
}

const notRunnable = (fence: Fence, why: string): Terminal =>
  new Terminal(
    'JOB_NOT_RUNNABLE',
    `execution ${fence.executionName}, redrive ${fence.redriveCount}: ${why}`,
  );

const columns = keptFragment(
  (sql) => sql`
  job_id as "jobId", tenant_id as "tenantId", type, run, accepted_no::text as "acceptedNo", input,
  payload_ref as "payloadRef", payload_pin as "payloadPin", correlation_id as "correlationId", traceparent,
  status, execution_name as "executionName", redrive_count as "redriveCount",
  ${withoutItsKey(sql)} as "withoutItsKey"`,
);

const withoutItsKey = keptFragment(
  (sql) => sql`
  (ordering_key is not null and not exists (select from ordering_keys where current_job = job_id))`,
);

/**
 * The guard of a write: `with fence as (${heldBy(sql, fence)}) insert … select … from fence`. Holds the job's row
 * against a change of status until the write commits; gives no row where the job is not RUNNING under the fence.
 */
export const heldBy = (sql: Sql, fence: Fence) => sql`
  select job_id, tenant_id from jobs
  where job_id = ${fence.jobId} and execution_name = ${fence.executionName}
    and redrive_count = ${fence.redriveCount} and status = 'RUNNING'
  for share`;
