import type { JobId } from '../ids.ts';
import type { Sql } from './connect.ts';
import {
  type JobStatus,
  type JobView,
  jobViewColumns,
  type Scope,
  withinScope,
} from './find-job.ts';

/** What the jobs wanted have in common; a member that is not there asks for nothing. */
export type JobFilter = {
  readonly status?: JobStatus | undefined;
  readonly type?: string | undefined;
  /** `name`, whatever its value, or `name:value`. */
  readonly tag?: string | undefined;
  readonly createdAfter?: Date | undefined;
  readonly createdBefore?: Date | undefined;
  readonly failureCode?: string | undefined;
  /** Any part of the failure's message, in either case. */
  readonly failureText?: string | undefined;
};

/** The place of a job in the order newest first; `createdAt` to the microsecond, as Postgres writes it. */
export type JobPlace = { readonly createdAt: string; readonly jobId: JobId };

export type ListedJob = JobView & { readonly place: string };

/**
 * The jobs after `after`, newest first. The place is a key, not an offset: jobs that are added meanwhile stand
 * before it and move nothing. It goes as text: postgres 3.4.9 cuts a timestamptz parameter to milliseconds.
 *
 * Each filter has an index that ends with the place, a tag in `job_tags`: of 1,000,000 jobs a page takes 1 to 30 ms,
 * also of a common tag or a rare one (bench/list.ts).
 */
export async function listJobs(
  sql: Sql,
  scope: Scope,
  filter: JobFilter,
  page: { readonly limit: number; readonly after: JobPlace | undefined },
): Promise<ListedJob[]> {
  const { tag } = filter;
  const { after } = page;
  const from =
    tag === undefined
      ? sql`jobs`
      : sql`(${tagged(sql, scope, tag)}) as tagged join jobs on job_id = tagged_id`;
  const place = tag === undefined ? sql`created_at, job_id` : sql`tagged_at, tagged_id`;
  const order =
    tag === undefined ? sql`created_at desc, job_id desc` : sql`tagged_at desc, tagged_id desc`;
  const conditions = [
    withinScope(sql, scope),
    ...(after === undefined
      ? []
      : [sql`(${place}) < (${after.createdAt}::text::timestamptz, ${after.jobId}::uuid)`]),
    ...conditionsOf(sql, filter),
  ];
  return await sql<ListedJob[]>`
    select ${jobViewColumns(sql)}, created_at::text as place from ${from}
    where ${conditions.reduce((all, condition) => sql`${all} and ${condition}`)}
    order by ${order}
    limit ${page.limit}`;
}

const tagged = (sql: Sql, scope: Scope, tag: string) => sql`
  select job_id as tagged_id, created_at as tagged_at from job_tags
  where tag = ${tag} and ${withinScope(sql, scope)}`;

function conditionsOf(sql: Sql, filter: JobFilter) {
  const { status, type, createdAfter, createdBefore, failureCode, failureText } = filter;
  const asksForFailure =
    status === 'FAILED' || failureCode !== undefined || failureText !== undefined;
  return [
    // Written out, or a prepared statement could not use the indexes of failed jobs.
    ...(asksForFailure ? [sql`status = 'FAILED'`] : []),
    ...(status === undefined || status === 'FAILED' ? [] : [sql`status = ${status}`]),
    ...(type === undefined ? [] : [sql`type = ${type}`]),
    ...(createdAfter === undefined ? [] : [sql`created_at > ${createdAfter}`]),
    ...(createdBefore === undefined ? [] : [sql`created_at < ${createdBefore}`]),
    ...(failureCode === undefined ? [] : [sql`failure ->> 'code' = ${failureCode}`]),
    ...(failureText === undefined
      ? []
      : [sql`failure ->> 'message' ilike ${`%${escapeLike(failureText)}%`}`]),
  ];
}

const escapeLike = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`);
