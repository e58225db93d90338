import type { StateTime } from '../state-times.ts';
import type { Sql } from './connect.ts';

/** An execution whose history is to be read. */
export type RunToRead = {
  readonly jobId: string;
  readonly type: string;
  readonly executionName: string;
  readonly executionArn: string | null;
};

/** Only so many of the newest jobs are looked at for finished ones. */
const newestJobs = 5_000;
/** A state is known by so many of its newest passages; below the least its p99 says nothing. */
const keptPassages = 500;
export const leastPassages = 20;

/**
 * Takes finished runs whose states are to be measured, the newest of each type since its turn before, at most `perType`. Who
 * moves a type's moment ahead measures it, so several workers measure each run once. Redriven runs are left out: their
 * states stood open while the job was FAILED.
 */
export async function claimFinishedRuns(
  sql: Sql,
  types: readonly string[],
  wanted: { readonly perType: number; readonly everySeconds: number },
): Promise<RunToRead[]> {
  return await sql<RunToRead[]>`
    with before as (select type, measured_at from measured_types),
    claimed as (
      insert into measured_types as known (type, measured_at)
      select type, now() from jsonb_array_elements_text(${sql.json([...types])}) as type
      on conflict (type) do update set measured_at = excluded.measured_at
        where known.measured_at < now() - make_interval(secs => ${wanted.everySeconds})
      returning type
    ),
    newest as (select * from jobs order by created_at desc, job_id desc limit ${newestJobs}),
    finished as (
      select newest.*, row_number() over (partition by type order by finished_at desc) as place
      from newest join claimed using (type) left join before using (type)
      where status = 'SUCCEEDED' and run = 1 and redrive_count = 0
        and finished_at > coalesce(before.measured_at, '-infinity')
    )
    select job_id as "jobId", type, execution_name as "executionName", execution_arn as "executionArn"
    from finished where place <= ${wanted.perType}`;
}

/** Puts passages before the ones that are known, forgets the oldest, and sums up anew. */
export async function addStateTimes(
  sql: Sql,
  times: readonly (StateTime & { readonly type: string })[],
): Promise<void> {
  await sql`
    with measured as (
      select type, state, array_agg(seconds) as seconds
      from jsonb_to_recordset(${sql.json([...times])}) as t(type text, state text, seconds double precision)
      group by type, state
    ),
    kept as (
      select type, state, (measured.seconds || coalesce(state_times.seconds, '{}'))[1:${keptPassages}] as seconds
      from measured left join state_times using (type, state)
    )
    insert into state_times (type, state, seconds, p99_seconds)
    select type, state, seconds,
           (select percentile_cont(0.99) within group (order by second) from unnest(seconds) as second)
    from kept
    on conflict (type, state) do update
      set seconds = excluded.seconds, p99_seconds = excluded.p99_seconds, measured_at = now()`;
}

/** States that no run has passed for a month: they are in no definition any more, or nobody asks for the type. */
export async function forgetOldStateTimes(sql: Sql): Promise<void> {
  await sql`delete from state_times where measured_at < now() - interval '30 days'`;
}
