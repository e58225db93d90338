import type { TenantId } from '../ids.ts';
import type { Sql } from './connect.ts';

/** Whether the tenant has `limit` open jobs or more; looks at no more than that many. */
export async function hasOpenJobs(sql: Sql, tenantId: TenantId, limit: number): Promise<boolean> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from (
      select from jobs where tenant_id = ${tenantId} and status in ('PENDING', 'RUNNING') limit ${limit}
    ) as open`;
  return (row?.count ?? 0) >= limit;
}
