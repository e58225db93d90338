import type { JobId, TenantId } from '../ids.ts';
import type { Sql } from './connect.ts';

/** Refusals of one caller for one reason at one route: how often since they were last written, and the last one. */
export type Refusals = {
  readonly actor: string;
  readonly tenantId: TenantId | null;
  readonly code: string;
  readonly route: string;
  readonly status: number;
  readonly times: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
  readonly jobId: JobId | null;
  readonly detail: string;
  readonly requestId: string;
};

/** Adds them to those of their hour. */
export async function writeRefusals(sql: Sql, refusals: readonly Refusals[]): Promise<void> {
  await sql`
    insert into refusals as known (hour_at, actor, tenant_id, code, route, status, times, first_at, last_at, job_id, detail,
                                   request_id)
    select date_trunc('hour', "firstAt"), actor, "tenantId", code, route, status, times, "firstAt", "lastAt", "jobId", detail,
           "requestId"
    from jsonb_to_recordset(${sql.json([...refusals])})
      as new (actor text, "tenantId" text, code text, route text, status integer, times integer, "firstAt" timestamptz,
              "lastAt" timestamptz, "jobId" uuid, detail text, "requestId" text)
    order by actor, code, route
    on conflict (hour_at, actor, code, route) do update
    set times = known.times + excluded.times, last_at = excluded.last_at, job_id = excluded.job_id,
        detail = excluded.detail, request_id = excluded.request_id`;
}

/** Which of these jobs there are: each belongs to somebody. */
export async function findExistingJobs(sql: Sql, jobIds: readonly JobId[]): Promise<Set<JobId>> {
  const rows = await sql<{ jobId: JobId }[]>`
    select job_id as "jobId" from jobs
    where job_id in (select id::uuid from jsonb_array_elements_text(${sql.json([...jobIds])}) as id)`;
  return new Set(rows.map(({ jobId }) => jobId));
}
