import type { BulkVerb } from '../bulk-filter.ts';
import type { JobId } from '../ids.ts';
import type { RedriveMode } from '../redrive.ts';
import type { Sql } from './connect.ts';

export type NewBulk = {
  readonly bulkId: string;
  readonly verb: BulkVerb;
  readonly name: string;
  readonly reason: string;
  readonly actor: string;
  /** As it was asked for: for people to read, and for the workers to collect the jobs by. */
  readonly filter: Readonly<Record<string, unknown>>;
  /** In which way the jobs are redriven; null where they are cancelled. */
  readonly mode: RedriveMode | null;
  readonly ratePerSecond: number;
};

/** Stores a bulk operation that has no jobs yet (collect-bulk.ts), and its row in the audit, in one statement. */
export async function insertBulk(sql: Sql, bulk: NewBulk): Promise<void> {
  const { bulkId, verb, name, reason, actor, filter, mode, ratePerSecond } = bulk;
  const details = { operation: verb, name, filter, mode, ratePerSecond };
  await sql`
    with bulk as (
      insert into bulk_operations (bulk_id, operation, name, reason, actor, filter, mode, rate_per_second)
      values (${bulkId}, ${verb}, ${name}, ${reason}, ${actor}, ${sql.json(filter as never)}, ${mode}, ${ratePerSecond})
    )
    insert into operator_actions (actor, action, target, reason, details)
    values (${actor}, 'bulk.start', ${`bulk/${bulkId}`}, ${reason}, ${sql.json(details as never)})`;
}

/** A job whose turn it is, for whoever holds it until its claim ends. */
export type ClaimedJob = {
  readonly bulkId: string;
  readonly position: number;
  readonly jobId: JobId;
  /** The run in which it was when the operation was started. */
  readonly run: number;
  /** Somebody had claimed it before and did not say how it ended. */
  readonly again: boolean;
  readonly verb: BulkVerb;
  readonly mode: RedriveMode | null;
  readonly name: string;
  readonly reason: string;
};

/** Redriving or cancelling one takes milliseconds; what a killed worker had claimed is taken by another one after this. */
const claimSeconds = 30;

/**
 * Takes what the pace allows by now from every running bulk operation, in one statement: moving `paced_until` ahead is
 * the right to take that many, so several workers keep one pace. At most a second's worth is saved up. Touches the
 * index of running bulk operations and that of their waiting jobs, never the table of jobs.
 */
export async function claimBulkJobs(sql: Sql): Promise<ClaimedJob[]> {
  return await sql<ClaimedJob[]>`
    with due as (
      select bulk_id, rate_per_second as rate,
             least(floor(extract(epoch from now() - paced_until) * rate_per_second), ceil(rate_per_second))::integer as quota
      from bulk_operations
      where status = 'RUNNING' and paced_until <= now() - make_interval(secs => 1 / rate_per_second)
      order by paced_until limit 10
      for update skip locked
    ),
    paced as (
      update bulk_operations bulk
      set paced_until = greatest(paced_until, now() - make_interval(secs => ceil(rate) / rate))
                        + make_interval(secs => quota / rate)
      from due where bulk.bulk_id = due.bulk_id
      returning bulk.bulk_id, quota, operation, mode, name, reason
    )
    update bulk_operation_jobs job set claimed_until = now() + make_interval(secs => ${claimSeconds})
    from paced, lateral (
      select position, claimed_until from bulk_operation_jobs waiting
      where waiting.bulk_id = paced.bulk_id and outcome is null and (claimed_until is null or claimed_until < now())
      order by position limit paced.quota
      for update skip locked
    ) next
    where job.bulk_id = paced.bulk_id and job.position = next.position
    returning job.bulk_id as "bulkId", job.position, job_id as "jobId", run, next.claimed_until is not null as again,
              operation as verb, mode, name, reason`;
}

export type BulkOutcome = { readonly position: number; readonly outcome: string };

/** What is written where a job was redriven or cancelled; everything else is why it was not. */
export const doneOutcome = 'done';

/** Writes down how jobs of a bulk operation ended, counts them, and completes it with the last. */
export async function recordBulkOutcomes(
  sql: Sql,
  bulkId: string,
  outcomes: readonly BulkOutcome[],
): Promise<void> {
  await sql`
    with ended as (
      update bulk_operation_jobs job set outcome = ended.outcome
      from jsonb_to_recordset(${sql.json(outcomes)}) as ended(position integer, outcome text)
      where bulk_id = ${bulkId} and job.position = ended.position and job.outcome is null
      returning job.outcome
    ),
    counted as (
      select (count(*) filter (where outcome = ${doneOutcome}))::integer as done,
             (count(*) filter (where outcome <> ${doneOutcome}))::integer as skipped
      from ended
    )
    update bulk_operations bulk set
      done = bulk.done + counted.done, skipped = bulk.skipped + counted.skipped,
      status = case when ended_at is null and not collecting
                      and bulk.done + bulk.skipped + counted.done + counted.skipped >= total
               then 'COMPLETED' else status end,
      ended_at = case when ended_at is null and not collecting
                        and bulk.done + bulk.skipped + counted.done + counted.skipped >= total
                 then now() else ended_at end
    from counted where bulk_id = ${bulkId}`;
}

export type BulkStatus = 'RUNNING' | 'PAUSED' | 'COMPLETED' | 'CANCELLED';

export type BulkView = {
  readonly bulkId: string;
  readonly operation: BulkVerb;
  readonly name: string;
  readonly reason: string;
  readonly actor: string;
  readonly filter: Readonly<Record<string, unknown>>;
  readonly mode: RedriveMode | null;
  readonly ratePerSecond: number;
  readonly status: BulkStatus;
  /** Its list is not complete: `total` grows. */
  readonly collecting: boolean;
  readonly total: number;
  readonly done: number;
  readonly skipped: number;
  readonly ineligible: readonly { readonly reason: string; readonly count: number }[];
  readonly createdAt: Date;
  readonly endedAt: Date | null;
};

const columns = (sql: Sql) => sql`
  bulk_id as "bulkId", operation, name, reason, actor, filter, mode, rate_per_second as "ratePerSecond", status,
  collecting, total, done, skipped, ineligible, created_at as "createdAt", ended_at as "endedAt"`;

/** Newest first; ids are uuidv7. */
export async function listBulks(
  sql: Sql,
  page: { readonly limit: number; readonly before?: string | undefined },
): Promise<BulkView[]> {
  return await sql<BulkView[]>`
    select ${columns(sql)} from bulk_operations
    where ${page.before === undefined ? sql`true` : sql`bulk_id < ${page.before}`}
    order by bulk_id desc limit ${page.limit}`;
}

export async function findBulk(sql: Sql, bulkId: string): Promise<BulkView | undefined> {
  const [bulk] = await sql<BulkView[]>`
    select ${columns(sql)} from bulk_operations where bulk_id = ${bulkId}`;
  return bulk;
}

export type Count = { readonly name: string; readonly count: number };

/** Why jobs were skipped, and how the others stand now. */
export async function countBulkOutcomes(
  sql: Sql,
  bulkId: string,
): Promise<{ readonly skipped: readonly Count[]; readonly statuses: readonly Count[] }> {
  const rows = await sql<(Count & { done: boolean })[]>`
    select outcome = ${doneOutcome} as done,
           case when outcome = ${doneOutcome} then coalesce(status, 'removed') else outcome end as name,
           count(*)::integer as count
    from bulk_operation_jobs left join jobs using (job_id)
    where bulk_id = ${bulkId} and outcome is not null
    group by 1, 2 order by 3 desc`;
  const of = (done: boolean): Count[] =>
    rows.filter((row) => row.done === done).map(({ name, count }) => ({ name, count }));
  return { skipped: of(false), statuses: of(true) };
}

export type BulkChange = {
  readonly to: 'PAUSED' | 'RUNNING' | 'CANCELLED';
  readonly action: 'bulk.pause' | 'bulk.resume' | 'bulk.cancel';
  readonly actor: string;
  readonly reason: string;
  /** A new pace. */
  readonly ratePerSecond?: number | undefined;
};

/**
 * Pauses, resumes or cancels one that has not ended, and writes the audit in the same statement. Gives undefined where
 * it has ended, or there is none. What a worker has in hand at that moment is still done.
 */
export async function changeBulk(
  sql: Sql,
  bulkId: string,
  change: BulkChange,
): Promise<BulkView | undefined> {
  const { to, action, actor, reason, ratePerSecond = null } = change;
  const [bulk] = await sql<BulkView[]>`
    with changed as (
      update bulk_operations set
        status = ${to}, collecting = collecting and ${to} <> 'CANCELLED', ended_at = case when ${to} = 'CANCELLED' then now() end,
        rate_per_second = coalesce(${ratePerSecond}::double precision, rate_per_second),
        paced_until = case when status = 'PAUSED' then now() else paced_until end
      where bulk_id = ${bulkId} and status in ('RUNNING', 'PAUSED')
      returning *
    ),
    audited as (
      insert into operator_actions (actor, action, target, reason, details, result, ended_at)
      select ${actor}, ${action}, 'bulk/' || bulk_id, ${reason},
             jsonb_build_object('done', done, 'skipped', skipped, 'total', total, 'ratePerSecond', rate_per_second),
             status, now() from changed
    )
    select ${columns(sql)} from changed`;
  return bulk;
}
