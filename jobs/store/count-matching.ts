import type { Sql } from './connect.ts';
import {
  type BulkWish,
  matchedJobs,
  type MatchPage,
  matchPageSize,
  type MatchPlace,
} from './match-bulk.ts';

export type BulkMatch = {
  readonly matched: number;
  readonly eligible: number;
  readonly ineligible: readonly { readonly reason: string; readonly count: number }[];
};

/** Counts what a bulk operation would do to all jobs that match, page by page, so that no statement takes long. */
export async function countMatching(
  sql: Sql,
  wish: BulkWish,
  pageSize = matchPageSize,
): Promise<BulkMatch> {
  const obstacles = new Map<string, number>();
  let matched = 0;
  let after: MatchPlace | null = null;
  do {
    const page = await countPage(sql, wish, { after, limit: pageSize, asOf: null });
    for (const { obstacle, count } of page) {
      matched += count;
      if (obstacle !== null) obstacles.set(obstacle, (obstacles.get(obstacle) ?? 0) + count);
    }
    after = page[0]?.next ?? null;
  } while (after !== null);
  const ineligible = [...obstacles].map(([reason, count]) => ({ reason, count }));
  return {
    matched,
    eligible: matched - ineligible.reduce((sum, { count }) => sum + count, 0),
    ineligible: ineligible.toSorted((one, other) => other.count - one.count),
  };
}

type PageCount = {
  readonly obstacle: string | null;
  readonly count: number;
  /** The place of the page's last job; null on the last page. The same in each row. */
  readonly next: MatchPlace | null;
};

async function countPage(sql: Sql, wish: BulkWish, page: MatchPage): Promise<PageCount[]> {
  return await sql<PageCount[]>`
    with matched as materialized (${matchedJobs(sql, wish, page)}),
    last as (
      select jsonb_build_object('createdAt', created_at::text, 'jobId', job_id) as place
      from matched order by created_at desc, job_id desc limit 1
    )
    select obstacle, count(*)::integer as count,
           case when (select count(*) from matched) = ${page.limit}::integer then (select place from last) end as next
    from matched group by obstacle`;
}
