import type { BulkFilter, BulkVerb } from '../bulk-filter.ts';
import { failureCodes, isCompensated } from '../failure-codes.ts';
import type { JobId } from '../ids.ts';
import type { RedriveMode } from '../redrive.ts';
import type { Sql } from './connect.ts';

/** The jobs that a bulk operation is asked for, and what is to be done to them. */
export type BulkWish = {
  readonly verb: BulkVerb;
  readonly filter: BulkFilter;
  /** In which way they are redriven; null where they are cancelled. */
  readonly mode: RedriveMode | null;
  /** The job types that have a state machine. */
  readonly knownTypes: readonly string[];
};

/** The place of a job in the order oldest first; the time to the microsecond, as Postgres writes it. */
export type MatchPlace = { readonly createdAt: string; readonly jobId: JobId };

export type MatchPage = {
  readonly after: MatchPlace | null;
  readonly limit: number;
  /** Only what stood as it stands at this moment, as Postgres writes it; null: now. */
  readonly asOf: string | null;
};

/** So many jobs are looked at in one statement: tens of milliseconds. */
export const matchPageSize = 5_000;

/**
 * The next jobs that match, oldest first, each with why nothing would be done to it, null where something would: what
 * is known beforehand to fail again, or to be refused, is left out and counted. What was created, or ended, after
 * `asOf` belongs to no page: what a redrive makes fail again does not match a second time.
 */
export function matchedJobs(sql: Sql, wish: BulkWish, { after, limit, asOf }: MatchPage) {
  const conditions = [
    ...conditionsOf(sql, wish),
    ...(asOf === null
      ? []
      : [sql`greatest(created_at, finished_at) <= ${asOf}::text::timestamptz`]),
    ...(after === null
      ? []
      : [
          sql`(created_at, job_id) > (${after.createdAt}::text::timestamptz, ${after.jobId}::uuid)`,
        ]),
  ].reduce((all, condition) => sql`${all} and ${condition}`);
  const obstacle = wish.verb === 'cancel' ? cancelObstacle(sql) : redriveObstacle(sql, wish);
  return sql`
    select job_id, run, created_at, ${obstacle} as obstacle
    from jobs where ${conditions} order by created_at, job_id limit ${limit}`;
}

function redriveObstacle(sql: Sql, { mode, knownTypes }: BulkWish) {
  const hasEffect = (status: string) => sql`
    exists (select from external_effects effect where effect.job_id = jobs.job_id and effect.status = ${status})`;
  return sql`
    case
      when status = 'PENDING' and held_since is not null then null
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
    end`;
}

/** As `requestCancel` refuses (jobs/stop.ts). */
const cancelObstacle = (sql: Sql) => sql`
  case
    when status in ('SUCCEEDED', 'CANCELLED', 'EXPIRED') then 'it is ' || status
    when status = 'FAILED' and not exists (select from ordering_keys where current_job = jobs.job_id)
      then 'it is FAILED, and no job of its ordering key waits for it'
    when status <> 'FAILED' and stoppable = 'until-started' and started_at is not null
      then 'it has begun, and undoes by itself what cannot be done'
  end`;

const compensatedCodes = Object.keys(failureCodes).filter(isCompensated);

function conditionsOf(sql: Sql, { verb, filter }: BulkWish) {
  const { status, type, code, failureText, tag, createdAfter, createdBefore } = filter;
  const ofFailure = code !== undefined || failureText !== undefined;
  const failed = status === 'FAILED' || (status === undefined && (verb === 'redrive' || ofFailure));
  return [
    // Written out, or a prepared statement could not use the indexes of failed and of open jobs.
    failed
      ? sql`status = 'FAILED'`
      : status === undefined
        ? sql`status in ('PENDING', 'RUNNING')`
        : sql`status = ${status}`,
    ...(type === undefined ? [] : [sql`type = ${type}`]),
    ...(code === undefined ? [] : [sql`failure ->> 'code' = ${code}`]),
    ...(failureText === undefined
      ? []
      : [sql`failure ->> 'message' ilike ${`%${escapeLike(failureText)}%`}`]),
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

const escapeLike = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`);
