import type { JobId, TenantId } from '../ids.ts';
import type { Sql } from './connect.ts';

type NewPlace = { readonly jobId: JobId; readonly tenantId: TenantId };

/**
 * Takes the place of a job that is to be stored among its tenant's `most` open ones; gives whether there was one. Exact,
 * however many submits come at the same moment to however many processes: migrations/0018 says how.
 */
export async function takeOpenJobPlace(
  sql: Sql,
  { jobId, tenantId }: NewPlace,
  most: number,
): Promise<boolean> {
  const [row] = await sql<{ taken: boolean }[]>`
    select take_open_job_place(${tenantId}, ${jobId}, ${most}) as taken`;
  return row?.taken === true;
}

/** Gives back the place of a job that was not stored after all. */
export async function giveBackOpenJobPlace(sql: Sql, jobId: JobId): Promise<void> {
  await sql`delete from open_job_places where job_id = ${jobId}`;
}
