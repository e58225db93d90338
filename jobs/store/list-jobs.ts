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
  /** Without a value: any job that has the tag. */
  readonly tag?: { readonly name: string; readonly value?: string | undefined } | undefined;
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
 * before it and move nothing. It goes as text: postgres 3.4.9 cuts a timestamptz parameter to milliseconds. Each filter has an index that begins with the tenant and ends with the place, except
 * tags and texts, which are few (docs: bench/list-jobs.ts).
 */
export async function listJobs(
  sql: Sql,
  scope: Scope,
  filter: JobFilter,
  page: { readonly limit: number; readonly after: JobPlace | undefined },
): Promise<ListedJob[]> {
  const { after } = page;
  const conditions = [
    withinScope(sql, scope),
    ...(after === undefined
      ? []
      : [
          sql`(created_at, job_id) < (${after.createdAt}::text::timestamptz, ${after.jobId}::uuid)`,
        ]),
    ...conditionsOf(sql, filter),
  ];
  return await sql<ListedJob[]>`
    select ${jobViewColumns(sql)}, created_at::text as place from jobs
    where ${conditions.reduce((all, condition) => sql`${all} and ${condition}`)}
    order by created_at desc, job_id desc
    limit ${page.limit}`;
}

function conditionsOf(sql: Sql, filter: JobFilter) {
  const { status, type, tag, createdAfter, createdBefore, failureCode, failureText } = filter;
  const asksForFailure =
    status === 'FAILED' || failureCode !== undefined || failureText !== undefined;
  return [
    // Written out, or a prepared statement could not use the indexes of failed jobs.
    ...(asksForFailure ? [sql`status = 'FAILED'`] : []),
    ...(status === undefined || status === 'FAILED' ? [] : [sql`status = ${status}`]),
    ...(type === undefined ? [] : [sql`type = ${type}`]),
    ...(tag === undefined ? [] : [tagCondition(sql, tag)]),
    ...(createdAfter === undefined ? [] : [sql`created_at > ${createdAfter}`]),
    ...(createdBefore === undefined ? [] : [sql`created_at < ${createdBefore}`]),
    ...(failureCode === undefined ? [] : [sql`failure ->> 'code' = ${failureCode}`]),
    ...(failureText === undefined
      ? []
      : [sql`failure ->> 'message' ilike ${`%${escapeLike(failureText)}%`}`]),
  ];
}

const tagCondition = (sql: Sql, { name, value }: { name: string; value?: string | undefined }) =>
  value === undefined
    ? sql`tags <> '{}' and tags ? ${name}`
    : sql`tags <> '{}' and tags @> ${sql.json({ [name]: value })}::jsonb`;

const escapeLike = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`);
