import { type BulkVerb, readBulkFilter } from '../bulk-filter.ts';
import type { RedriveMode } from '../redrive.ts';
import type { Sql } from './connect.ts';
import { matchedJobs, matchPageSize, type MatchPlace } from './match-bulk.ts';

type Collecting = {
  readonly bulkId: string;
  readonly verb: BulkVerb;
  readonly mode: RedriveMode | null;
  readonly filter: unknown;
  /** When it was started, as Postgres writes it. */
  readonly asOf: string;
  readonly after: MatchPlace | null;
};

/**
 * Puts the next page of matching jobs on the list of a bulk operation: of the one that is named, or of any whose list is
 * not complete. Gives false where there is nothing left to collect. Which page is next stands in the row and moves in
 * the statement that stores it, so a page is stored once, whoever collects and whoever dies.
 */
export async function collectBulk(
  sql: Sql,
  knownTypes: readonly string[],
  bulkId: string | null,
  pageSize = matchPageSize,
): Promise<boolean> {
  const bulk = await findCollecting(sql, bulkId);
  if (bulk === undefined) return false;
  await storePage(sql, bulk, knownTypes, pageSize);
  return true;
}

async function findCollecting(sql: Sql, bulkId: string | null): Promise<Collecting | undefined> {
  const [bulk] = await sql<Collecting[]>`
    select bulk_id as "bulkId", operation as verb, mode, filter, created_at::text as "asOf",
           case when collected_job_id is not null
             then jsonb_build_object('createdAt', collected_created_at::text, 'jobId', collected_job_id) end as after
    from bulk_operations
    where collecting and ${bulkId === null ? sql`true` : sql`bulk_id = ${bulkId}`}
    -- By chance: they grow side by side, and one whose page fails keeps no other one from its turn.
    order by random() limit 1`;
  return bulk;
}

async function storePage(
  sql: Sql,
  { bulkId, verb, mode, filter, asOf, after }: Collecting,
  knownTypes: readonly string[],
  pageSize: number,
): Promise<void> {
  const wish = { verb, mode, filter: readBulkFilter(filter), knownTypes };
  await sql`
    with bulk as (
      select * from bulk_operations
      where bulk_id = ${bulkId} and collecting and collected_job_id is not distinct from ${after?.jobId ?? null}::uuid
      for update
    ),
    matched as materialized (${matchedJobs(sql, wish, { after, asOf, limit: pageSize })}),
    listed as (
      insert into bulk_operation_jobs (bulk_id, position, job_id, run)
      select bulk_id, total + row_number() over (order by matched.created_at, job_id), job_id, matched.run
      from matched, bulk where obstacle is null
    ),
    counted as (
      select (count(*) filter (where obstacle is null))::integer as eligible, count(*) < ${pageSize} as complete
      from matched
    ),
    left_out as (
      select coalesce(jsonb_agg(jsonb_build_object('reason', reason, 'count', count) order by count desc), '[]') as list
      from (
        select reason, sum(count)::integer as count
        from (
          select before.reason, before.count from bulk, jsonb_to_recordset(bulk.ineligible) as before(reason text, count integer)
          union all
          select obstacle, 1 from matched where obstacle is not null
        ) each group by reason
      ) grouped
    ),
    last as (select created_at, job_id from matched order by created_at desc, job_id desc limit 1),
    collected as (
      update bulk_operations set
        total = bulk.total + eligible, ineligible = list, collecting = not complete,
        collected_created_at = coalesce((select created_at from last), bulk.collected_created_at),
        collected_job_id = coalesce((select job_id from last), bulk.collected_job_id),
        status = case when complete and bulk.done + bulk.skipped >= bulk.total + eligible then 'COMPLETED' else bulk.status end,
        ended_at = case when complete and bulk.done + bulk.skipped >= bulk.total + eligible then now() end
      from bulk, counted, left_out where bulk_operations.bulk_id = bulk.bulk_id
      returning bulk_operations.bulk_id, bulk_operations.total, bulk_operations.created_at, complete
    )
    update operator_actions set result = total || ' jobs', ended_at = now()
    from collected
    where complete and at >= collected.created_at and action = 'bulk.start' and target = 'bulk/' || bulk_id`;
}
