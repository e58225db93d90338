import type { JobId } from '../ids.ts';
import type { RedriveMode } from '../redrive.ts';
import type { Sql } from './connect.ts';
import { type BulkWish, matchedJobs } from './match-bulk.ts';

export type NewBulk = BulkWish & {
  readonly bulkId: string;
  readonly name: string;
  readonly reason: string;
  readonly actor: string;
  /** The filter as it was asked for, for people to read. */
  readonly asked: Readonly<Record<string, unknown>>;
  readonly ratePerSecond: number;
  readonly maxJobs: number;
};

/**
 * Stores a bulk redrive with all jobs that match now and can be redriven, oldest first, and its row in the audit, in
 * one statement. Gives how many jobs it has; where that would be more than `maxJobs` nothing is stored and `stored` is
 * false.
 */
export async function insertBulk(
  sql: Sql,
  bulk: NewBulk,
): Promise<{ readonly stored: boolean; readonly total: number }> {
  const { bulkId, name, reason, actor, asked, mode, ratePerSecond, maxJobs } = bulk;
  const [row] = await sql<{ stored: boolean; total: number }[]>`
    with matched as materialized (${matchedJobs(sql, bulk)}),
    counted as (select (count(*) filter (where obstacle is null))::integer as total from matched),
    ineligible as (
      select coalesce(jsonb_agg(jsonb_build_object('reason', obstacle, 'count', count) order by count desc), '[]') as list
      from (select obstacle, count(*) as count from matched where obstacle is not null group by obstacle) grouped
    ),
    bulk as (
      insert into bulk_redrives (bulk_id, name, reason, actor, filter, mode, rate_per_second, status, total, ineligible,
                                 ended_at)
      select ${bulkId}::uuid, ${name}, ${reason}, ${actor}, ${sql.json(asked as never)}, ${mode}, ${ratePerSecond},
             case when total = 0 then 'COMPLETED' else 'RUNNING' end, total, list, case when total = 0 then now() end
      from counted, ineligible where total <= ${maxJobs}
      returning bulk_id, total
    ),
    jobs_of_it as (
      insert into bulk_redrive_jobs (bulk_id, position, job_id, run)
      select bulk_id, row_number() over (order by created_at, job_id), job_id, run
      from matched, bulk where obstacle is null
    ),
    audited as (
      insert into operator_actions (actor, action, target, reason, details, result, ended_at)
      select ${actor}, 'bulk.start', 'bulk/' || bulk_id, ${reason},
             jsonb_build_object('name', ${name}::text, 'filter', ${sql.json(asked as never)}::jsonb, 'mode', ${mode}::text,
                                'ratePerSecond', ${ratePerSecond}::double precision),
             total || ' jobs', now() from bulk
    )
    select counted.total, bulk.bulk_id is not null as stored from counted left join bulk on true`;
  return row ?? { stored: false, total: 0 };
}

/** A job that is to be redriven now, by whoever holds it until its claim ends. */
export type ClaimedJob = {
  readonly bulkId: string;
  readonly position: number;
  readonly jobId: JobId;
  /** The run that it is to be redriven from. */
  readonly run: number;
  /** Somebody had claimed it before and did not say how it ended. */
  readonly again: boolean;
  readonly mode: RedriveMode;
  readonly name: string;
  readonly reason: string;
};

/** Redriving one takes milliseconds; what a killed worker had claimed is taken by another one after this. */
const claimSeconds = 30;

/**
 * Takes what the pace allows by now from every running bulk redrive, in one statement: moving `paced_until` ahead is
 * the right to redrive that many, so several workers keep one pace. At most a second's worth is saved up. Touches the
 * index of running bulk redrives and that of their waiting jobs, never the table of jobs.
 */
export async function claimBulkJobs(sql: Sql): Promise<ClaimedJob[]> {
  return await sql<ClaimedJob[]>`
    with due as (
      select bulk_id, rate_per_second as rate,
             least(floor(extract(epoch from now() - paced_until) * rate_per_second), ceil(rate_per_second))::integer as quota
      from bulk_redrives
      where status = 'RUNNING' and paced_until <= now() - make_interval(secs => 1 / rate_per_second)
      order by paced_until limit 10
      for update skip locked
    ),
    paced as (
      update bulk_redrives bulk
      set paced_until = greatest(paced_until, now() - make_interval(secs => ceil(rate) / rate))
                        + make_interval(secs => quota / rate)
      from due where bulk.bulk_id = due.bulk_id
      returning bulk.bulk_id, quota, mode, name, reason
    )
    update bulk_redrive_jobs job set claimed_until = now() + make_interval(secs => ${claimSeconds})
    from paced, lateral (
      select position, claimed_until from bulk_redrive_jobs waiting
      where waiting.bulk_id = paced.bulk_id and outcome is null and (claimed_until is null or claimed_until < now())
      order by position limit paced.quota
      for update skip locked
    ) next
    where job.bulk_id = paced.bulk_id and job.position = next.position
    returning job.bulk_id as "bulkId", job.position, job_id as "jobId", run, next.claimed_until is not null as again,
              mode, name, reason`;
}

export type BulkOutcome = { readonly position: number; readonly outcome: string };

/** What is written where a job was redriven; everything else is why it was not. */
export const redrivenOutcome = 'redriven';

/** Writes down how jobs of a bulk redrive ended, counts them, and completes it with the last. */
export async function recordBulkOutcomes(
  sql: Sql,
  bulkId: string,
  outcomes: readonly BulkOutcome[],
): Promise<void> {
  await sql`
    with ended as (
      update bulk_redrive_jobs job set outcome = ended.outcome
      from jsonb_to_recordset(${sql.json(outcomes)}) as ended(position integer, outcome text)
      where bulk_id = ${bulkId} and job.position = ended.position and job.outcome is null
      returning job.outcome
    ),
    counted as (
      select (count(*) filter (where outcome = ${redrivenOutcome}))::integer as redriven,
             (count(*) filter (where outcome <> ${redrivenOutcome}))::integer as skipped
      from ended
    )
    update bulk_redrives bulk set
      redriven = bulk.redriven + counted.redriven, skipped = bulk.skipped + counted.skipped,
      status = case when ended_at is null and bulk.redriven + bulk.skipped + counted.redriven + counted.skipped >= total
               then 'COMPLETED' else status end,
      ended_at = case when ended_at is null and bulk.redriven + bulk.skipped + counted.redriven + counted.skipped >= total
                 then now() else ended_at end
    from counted where bulk_id = ${bulkId}`;
}

export type BulkStatus = 'RUNNING' | 'PAUSED' | 'COMPLETED' | 'CANCELLED';

export type BulkView = {
  readonly bulkId: string;
  readonly name: string;
  readonly reason: string;
  readonly actor: string;
  readonly filter: Readonly<Record<string, unknown>>;
  readonly mode: RedriveMode;
  readonly ratePerSecond: number;
  readonly status: BulkStatus;
  readonly total: number;
  readonly redriven: number;
  readonly skipped: number;
  readonly ineligible: readonly { readonly reason: string; readonly count: number }[];
  readonly createdAt: Date;
  readonly endedAt: Date | null;
};

const columns = (sql: Sql) => sql`
  bulk_id as "bulkId", name, reason, actor, filter, mode, rate_per_second as "ratePerSecond", status, total, redriven,
  skipped, ineligible, created_at as "createdAt", ended_at as "endedAt"`;

/** Newest first; ids are uuidv7. */
export async function listBulks(
  sql: Sql,
  page: { readonly limit: number; readonly before?: string | undefined },
): Promise<BulkView[]> {
  return await sql<BulkView[]>`
    select ${columns(sql)} from bulk_redrives
    where ${page.before === undefined ? sql`true` : sql`bulk_id < ${page.before}`}
    order by bulk_id desc limit ${page.limit}`;
}

export async function findBulk(sql: Sql, bulkId: string): Promise<BulkView | undefined> {
  const [bulk] = await sql<BulkView[]>`
    select ${columns(sql)} from bulk_redrives where bulk_id = ${bulkId}`;
  return bulk;
}

export type Count = { readonly name: string; readonly count: number };

/** Why jobs were skipped, and how the redriven ones stand now. */
export async function countBulkOutcomes(
  sql: Sql,
  bulkId: string,
): Promise<{ readonly skipped: readonly Count[]; readonly statuses: readonly Count[] }> {
  const rows = await sql<(Count & { redriven: boolean })[]>`
    select outcome = ${redrivenOutcome} as redriven,
           case when outcome = ${redrivenOutcome} then coalesce(status, 'removed') else outcome end as name,
           count(*)::integer as count
    from bulk_redrive_jobs left join jobs using (job_id)
    where bulk_id = ${bulkId} and outcome is not null
    group by 1, 2 order by 3 desc`;
  const of = (redriven: boolean): Count[] =>
    rows.filter((row) => row.redriven === redriven).map(({ name, count }) => ({ name, count }));
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
 * it has ended, or there is none. What a worker has in hand at that moment is still redriven.
 */
export async function changeBulk(
  sql: Sql,
  bulkId: string,
  change: BulkChange,
): Promise<BulkView | undefined> {
  const { to, action, actor, reason, ratePerSecond = null } = change;
  const [bulk] = await sql<BulkView[]>`
    with changed as (
      update bulk_redrives set
        status = ${to}, ended_at = case when ${to} = 'CANCELLED' then now() end,
        rate_per_second = coalesce(${ratePerSecond}::double precision, rate_per_second),
        paced_until = case when status = 'PAUSED' then now() else paced_until end
      where bulk_id = ${bulkId} and status in ('RUNNING', 'PAUSED')
      returning *
    ),
    audited as (
      insert into operator_actions (actor, action, target, reason, details, result, ended_at)
      select ${actor}, ${action}, 'bulk/' || bulk_id, ${reason},
             jsonb_build_object('redriven', redriven, 'skipped', skipped, 'total', total, 'ratePerSecond', rate_per_second),
             status, now() from changed
    )
    select ${columns(sql)} from changed`;
  return bulk;
}
