import type { Sql } from './connect.ts';

export type JobCount = { readonly type: string; readonly status: string; readonly count: number };

/** Jobs by type and status: all that are open, and of the final ones those accepted within the last `hours`. */
export async function countJobs(sql: Sql, hours: number): Promise<JobCount[]> {
  return await sql<JobCount[]>`
    select type, status, sum(count)::integer as count from (
      select type, status, count(*) from jobs where status in ('PENDING', 'RUNNING') group by type, status
      union all
      select type, status, count(*) from jobs
      where created_at > now() - make_interval(hours => ${hours}) and status not in ('PENDING', 'RUNNING')
      group by type, status
    ) counted
    group by type, status order by type, status`;
}

/** How many jobs took an arrow within one span of time; `code` is the failure's, else null. */
export type ArrowCount = {
  readonly at: Date;
  readonly status: string;
  readonly code: string | null;
  readonly count: number;
};

/** So many of the newest events are looked at, as in load-figures.ts: beyond them the oldest spans are incomplete. */
const newestEvents = 200_000;

/** What jobs were accepted, started and ended within the last `hours`, in spans of `minutes`, oldest first. */
export async function countArrows(
  sql: Sql,
  { hours, minutes }: { readonly hours: number; readonly minutes: number },
): Promise<ArrowCount[]> {
  return await sql<ArrowCount[]>`
    select date_bin(make_interval(mins => ${minutes}), at, 'epoch') as at, to_status as status,
           case when to_status = 'FAILED' then reason end as code, count(*)::integer as count
    from (select at, from_status, to_status, reason from job_events order by event_no desc limit ${newestEvents}) newest
    where at > now() - make_interval(hours => ${hours}) and from_status is distinct from to_status
    group by 1, 2, 3 order by 1, 2, 3`;
}
