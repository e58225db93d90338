import postgres from 'postgres';
import type { JobId } from '../ids.ts';
import type { Sql } from './connect.ts';

/** Whether a job could not be opened because another open job of its tenant and type has its uniqueKey. */
export const isUniqueKeyTaken = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && error.constraint_name === 'jobs_unique_key_while_open';

/** The open job that has the uniqueKey of this one; undefined where it has ended meanwhile. */
export async function whoHasUniqueKey(sql: Sql, jobId: JobId): Promise<JobId | undefined> {
  const [other] = await sql<{ jobId: JobId }[]>`
    select other.job_id as "jobId" from jobs join jobs other using (tenant_id, type, unique_key)
    where jobs.job_id = ${jobId} and other.job_id <> ${jobId} and other.status in ('PENDING', 'RUNNING')`;
  return other?.jobId;
}
