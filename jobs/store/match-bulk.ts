import { failureCodes, isCompensated } from '../failure-codes.ts';
import type { RedriveMode } from '../redrive.ts';
import type { Sql } from './connect.ts';
import type { JobStatus } from './find-job.ts';

/** Which jobs are meant; a member that is not there asks for nothing, but without a status they are the FAILED ones. */
export type BulkFilter = {
  readonly status?: JobStatus | undefined;
  readonly type?: string | undefined;
  /** The code of its failure. */
  readonly code?: string | undefined;
  /** `name`, whatever its value, or `name:value`. */
  readonly tag?: string | undefined;
  readonly createdAfter?: Date | undefined;
  readonly createdBefore?: Date | undefined;
};

/** The jobs that a bulk redrive is asked for, and in which way. */
export type BulkWish = {
  readonly filter: BulkFilter;
  readonly mode: RedriveMode;
  /** The job types that have a state machine. */
  readonly knownTypes: readonly string[];
};

export type BulkMatch = {
  readonly matched: number;
  readonly eligible: number;
  readonly ineligible: readonly { readonly reason: string; readonly count: number }[];
};

/**
 * Every job that matches, with why it would not be redriven, null where it would: what is known beforehand to fail
 * again, or to be refused, is left out and counted.
 */
export function matchedJobs(sql: Sql, { filter, mode, knownTypes }: BulkWish) {
  const conditions = conditionsOf(sql, filter).reduce(
    (all, condition) => sql`${all} and ${condition}`,
    sql`true`,
  );
  const hasEffect = (status: string) => sql`
    exists (select from external_effects effect where effect.job_id = jobs.job_id and effect.status = ${status})`;
  return sql`
    select job_id, run, created_at, case
      when status not in ('FAILED', 'CANCELLED', 'EXPIRED') then 'it is ' || status
      when not ${sql.json([...knownTypes])}::jsonb ? type then 'its job type is not known here'
      when ${hasEffect('UNKNOWN')} then 'the outcome of an effect is unknown: resolve it first'
      when ${hasEffect('ABANDONED')} then 'an effect was abandoned: it would fail again'
      when unique_key is not null and exists (
        select from jobs other
        where other.tenant_id = jobs.tenant_id and other.type = jobs.type and other.unique_key = jobs.unique_key
          and other.status in ('PENDING', 'RUNNING')) then 'another open job has its uniqueKey'
      when ${mode}::text = 'resume' and ${sql.json(compensatedCodes)}::jsonb ? (failure ->> 'code')
        then 'it has undone what it had begun: it can only be restarted'
      when ${mode}::text = 'resume' and finished_at < now() - interval '14 days'
        then 'it ended more than 14 days ago: it can only be restarted'
      end as obstacle
    from jobs where ${conditions}`;
}

const compensatedCodes = Object.keys(failureCodes).filter(isCompensated);

function conditionsOf(sql: Sql, filter: BulkFilter) {
  const { status = 'FAILED', type, code, tag, createdAfter, createdBefore } = filter;
  return [
    // Written out, or a prepared statement could not use the indexes of failed jobs.
    status === 'FAILED' ? sql`status = 'FAILED'` : sql`status = ${status}`,
    ...(type === undefined ? [] : [sql`type = ${type}`]),
    ...(code === undefined ? [] : [sql`failure ->> 'code' = ${code}`]),
    ...(tag === undefined ? [] : [tagCondition(sql, tag)]),
    ...(createdAfter === undefined ? [] : [sql`created_at > ${createdAfter}`]),
    ...(createdBefore === undefined ? [] : [sql`created_at < ${createdBefore}`]),
  ];
}

/** A tag's name has no colon; its value may have one. */
function tagCondition(sql: Sql, tag: string) {
  const [name = '', ...value] = tag.split(':');
  return value.length === 0
    ? sql`tags ? ${name}`
    : sql`tags @> ${sql.json({ [name]: value.join(':') })}::jsonb`;
}

/** Counts what a bulk redrive would do. */
export async function countMatching(sql: Sql, wish: BulkWish): Promise<BulkMatch> {
  const rows = await sql<{ obstacle: string | null; count: number }[]>`
    with matched as (${matchedJobs(sql, wish)})
    select obstacle, count(*)::integer as count from matched group by obstacle order by count(*) desc`;
  const ineligible = rows.flatMap(({ obstacle, count }) =>
    obstacle === null ? [] : [{ reason: obstacle, count }],
  );
  const eligible = rows.find(({ obstacle }) => obstacle === null)?.count ?? 0;
  return {
    matched: rows.reduce((sum, { count }) => sum + count, 0),
    eligible,
    ineligible,
  };
}
