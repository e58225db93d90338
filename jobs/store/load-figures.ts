import type { Sql } from './connect.ts';

/** How many jobs come and go: per second over the last five minutes, and over the hour before for comparison. */
export type Rates = {
  readonly acceptedPerSecond: number;
  readonly acceptedPerSecondBefore: number;
  readonly endedPerSecond: number;
};

/** So many of the newest events tell how many jobs ended; at 300 endings a second that is five minutes. */
const newestEvents = 200_000;

export async function readRates(sql: Sql): Promise<Rates> {
  const [row] = await sql<Rates[]>`
    select
      (select count(*) from jobs where created_at > now() - interval '5 minutes')::double precision / 300 as "acceptedPerSecond",
      (select count(*) from jobs where created_at > now() - interval '65 minutes'
         and created_at <= now() - interval '5 minutes')::double precision / 3600 as "acceptedPerSecondBefore",
      (select count(*) from (select at, to_status from job_events order by event_no desc limit ${newestEvents}) newest
       where at > now() - interval '5 minutes' and to_status in ('SUCCEEDED', 'FAILED', 'CANCELLED', 'EXPIRED')
      )::double precision / 300 as "endedPerSecond"`;
  return row ?? { acceptedPerSecond: 0, acceptedPerSecondBefore: 0, endedPerSecond: 0 };
}

export type OpenJobs = { readonly PENDING: number; readonly RUNNING: number };

export async function countOpenJobs(sql: Sql): Promise<OpenJobs> {
  const [row] = await sql<OpenJobs[]>`
    select (count(*) filter (where status = 'PENDING'))::integer as "PENDING",
           (count(*) filter (where status = 'RUNNING'))::integer as "RUNNING"
    from jobs where status in ('PENDING', 'RUNNING')`;
  return row ?? { PENDING: 0, RUNNING: 0 };
}

/** Who has the most open jobs; of the oldest 50,000. */
export type Hottest = {
  readonly tenantId: string;
  readonly share: number;
  readonly tenants: number;
  readonly open: number;
  /** The ordering key with the most jobs that wait for their turn. */
  readonly orderingKey: string | null;
  readonly waitingInKey: number;
};

export async function findHottest(sql: Sql): Promise<Hottest | undefined> {
  const [row] = await sql<Hottest[]>`
    with open as materialized (
      select tenant_id, ordering_key from jobs where status in ('PENDING', 'RUNNING') order by status, created_at limit 50000
    ),
    by_tenant as (select tenant_id, count(*) as jobs from open group by 1),
    by_key as (
      select ordering_key, count(*) as jobs from open where ordering_key is not null group by tenant_id, ordering_key
      order by 2 desc limit 1
    )
    select tenant_id as "tenantId", by_tenant.jobs::double precision / sum(by_tenant.jobs) over () as share,
           (count(*) over ())::integer as tenants, (sum(by_tenant.jobs) over ())::integer as open,
           (select ordering_key from by_key) as "orderingKey",
           coalesce((select jobs from by_key), 0)::integer as "waitingInKey"
    from by_tenant order by by_tenant.jobs desc limit 1`;
  return row;
}

export type DatabaseFigures = {
  readonly connections: number;
  readonly maxConnections: number;
  /** Sessions that wait for a lock. */
  readonly waitingForLocks: number;
  /** The statement that runs longest, seconds. */
  readonly longestSeconds: number;
};

export async function readDatabaseFigures(sql: Sql): Promise<DatabaseFigures> {
  const [row] = await sql<DatabaseFigures[]>`
    select count(*)::integer as connections, current_setting('max_connections')::integer as "maxConnections",
           (count(*) filter (where wait_event_type = 'Lock'))::integer as "waitingForLocks",
           greatest(coalesce(extract(epoch from max(now() - query_start) filter (where state = 'active' and pid <> pg_backend_pid())), 0), 0)::double precision as "longestSeconds"
    from pg_stat_activity where datname = current_database() and backend_type = 'client backend'`;
  return row ?? { connections: 0, maxConnections: 0, waitingForLocks: 0, longestSeconds: 0 };
}

/** Effects that are not COMPLETED, by status; and how many of them were tried more than once or must wait. */
export type EffectFigures = {
  readonly byStatus: Readonly<Record<string, number>>;
  /** INTENDED or CALLING after more than one attempt: the provider fails, is slow or asks to wait. */
  readonly struggling: number;
  readonly lastError: string | null;
};

export async function readEffectFigures(sql: Sql): Promise<EffectFigures> {
  const rows = await sql<
    { status: string; count: number; struggling: number; lastError: string | null }[]
  >`
    select status, count(*)::integer as count,
           (count(*) filter (where attempts > 1 and status in ('INTENDED', 'CALLING')))::integer as struggling,
           (array_agg(last_error order by updated_at desc)
              filter (where status in ('INTENDED', 'CALLING', 'UNKNOWN') and last_error is not null))[1] as "lastError"
    from external_effects where status <> 'COMPLETED' group by status`;
  return {
    byStatus: Object.fromEntries(rows.map(({ status, count }) => [status, count])),
    struggling: rows.reduce((sum, row) => sum + row.struggling, 0),
    lastError: rows.find((row) => row.lastError !== null)?.lastError ?? null,
  };
}

/** The codes with which jobs failed within the last 15 minutes, most frequent first; of the newest events. */
export async function countRecentFailures(
  sql: Sql,
): Promise<readonly { readonly code: string; readonly count: number }[]> {
  return await sql<{ code: string; count: number }[]>`
    select reason as code, count(*)::integer as count
    from (select at, to_status, reason from job_events order by event_no desc limit ${newestEvents}) newest
    where at > now() - interval '15 minutes' and to_status = 'FAILED'
    group by reason order by 2 desc limit 10`;
}

/** Tenants that have as many open jobs as they may have. */
export async function findTenantsAtQuota(sql: Sql): Promise<readonly string[]> {
  const rows = await sql<{ tenantId: string }[]>`
    select tenant_id as "tenantId" from tenants
    where max_open_jobs is not null and max_open_jobs <= (
      select count(*) from jobs where jobs.tenant_id = tenants.tenant_id and status in ('PENDING', 'RUNNING'))
    order by 1 limit 20`;
  return rows.map(({ tenantId }) => tenantId);
}
