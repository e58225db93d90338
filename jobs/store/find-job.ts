import type { Failure } from '../failure.ts';
import type { JobId, TenantId } from '../ids.ts';
import type { Sql } from './connect.ts';
import { givenRows } from './given-rows.ts';
import { keptFragment } from './kept-fragment.ts';

export type JobStatus = 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED' | 'EXPIRED';

export const jobStatuses = [
  'PENDING',
  'RUNNING',
  'SUCCEEDED',
  'FAILED',
  'CANCELLED',
  'EXPIRED',
] as const satisfies readonly JobStatus[];

export const isFinal = (status: JobStatus): boolean => status !== 'PENDING' && status !== 'RUNNING';

export type Progress = {
  readonly done: number;
  readonly total: number | null;
  readonly failed: number;
};

/** A job as it is shown to its client, with the revision of which the ETag is made. */
export type JobView = {
  readonly jobId: JobId;
  readonly tenantId: TenantId;
  readonly type: string;
  readonly status: JobStatus;
  readonly run: number;
  readonly revision: number;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly notBefore: Date | null;
  readonly progress: Progress | null;
  readonly result: unknown;
  readonly failure: Failure | null;
  readonly executionName: string;
  readonly executionArn: string | null;
  readonly redriveCount: number;
};

/** Whose jobs are seen: one tenant's, or everybody's (an operator). */
export type Scope = TenantId | 'all';

export const jobViewColumns = keptFragment(
  (sql) => sql`
  job_id as "jobId", tenant_id as "tenantId", type, status, run, revision, created_at as "createdAt",
  started_at as "startedAt", finished_at as "finishedAt", not_before as "notBefore", progress, result, failure,
  execution_name as "executionName", execution_arn as "executionArn", redrive_count as "redriveCount"`,
);

/** The condition that keeps tenants apart; every query of jobs has it. */
export const withinScope = (sql: Sql, scope: Scope) =>
  scope === 'all' ? sql`true` : sql`tenant_id = ${scope}`;

/** Gives undefined also where the job is another tenant's: it is not told apart from one that does not exist. */
export async function findJob(sql: Sql, jobId: JobId, scope: Scope): Promise<JobView | undefined> {
  const [job] = await sql<JobView[]>`
    select ${jobViewColumns(sql)} from jobs where job_id = ${jobId} and ${withinScope(sql, scope)}`;
  return job;
}

const knownColumns = keptFragment((sql) => sql`id uuid, seen integer`);

/** Those of the given jobs that have moved on from the revision that is known of them. One query for all who wait. */
export async function findChangedJobs(
  sql: Sql,
  known: readonly { readonly jobId: JobId; readonly revision: number }[],
): Promise<JobView[]> {
  return await sql<JobView[]>`
    select ${jobViewColumns(sql)}
    from jobs join (${givenRows(
      sql,
      known.map(({ jobId, revision }) => ({ id: jobId, seen: revision })),
      knownColumns(sql),
    )}) as known on job_id = id and revision <> seen`;
}
