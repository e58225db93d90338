import type { Sql } from './connect.ts';

export type RequestCount = {
  readonly tenantId: string;
  readonly minuteAt: Date;
  readonly used: number;
};

/** Adds what one process has counted and gives what all have, each row once. In their order, so that two do not deadlock. */
export async function addRequestCounts(
  sql: Sql,
  counts: readonly RequestCount[],
): Promise<RequestCount[]> {
  return await sql<RequestCount[]>`
    insert into request_counts as counted (tenant_id, minute_at, used)
    select "tenantId", "minuteAt", used
    from jsonb_to_recordset(${sql.json([...counts])})
      as mine ("tenantId" text, "minuteAt" timestamptz, used integer)
    order by "tenantId", "minuteAt"
    on conflict (tenant_id, minute_at) do update set used = counted.used + excluded.used
    returning tenant_id as "tenantId", minute_at as "minuteAt", used`;
}

/** Removes the counts of minutes that are long over. */
export async function removeRequestCounts(sql: Sql): Promise<void> {
  await sql`delete from request_counts where minute_at < now() - interval '10 minutes'`;
}
