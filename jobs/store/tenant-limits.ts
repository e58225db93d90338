import type { TenantId } from '../ids.ts';
import type { Sql } from './connect.ts';

/** What a tenant may have and do; null is no limit. */
export type TenantLimits = {
  readonly maxOpenJobs: number | null;
  readonly requestsPerMinute: number | null;
};

/** Sets the limits that are given and leaves the others; gives what holds then, undefined where there is no such tenant. */
export async function setTenantLimits(
  sql: Sql,
  tenantId: TenantId,
  limits: Partial<TenantLimits>,
): Promise<TenantLimits | undefined> {
  const { maxOpenJobs = null, requestsPerMinute = null } = limits;
  const [row] = await sql<TenantLimits[]>`
    update tenants set
      max_open_jobs = case when ${'maxOpenJobs' in limits} then ${maxOpenJobs}::integer else max_open_jobs end,
      requests_per_minute =
        case when ${'requestsPerMinute' in limits} then ${requestsPerMinute}::integer else requests_per_minute end
    where tenant_id = ${tenantId}
    returning max_open_jobs as "maxOpenJobs", requests_per_minute as "requestsPerMinute"`;
  return row;
}
