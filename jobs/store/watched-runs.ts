import type { JobId, TenantId } from '../ids.ts';
import type { OpenState } from '../state-times.ts';
import type { Sql } from './connect.ts';
import { leastPassages, type RunToRead } from './state-times.ts';

/** A task is nobody's trouble before, whatever its p99: one in a hundred is over it. */
export const leastSlowSeconds = 30;

/**
 * Takes RUNNING jobs whose history is to be looked at, those first that were not for longest: only such as have lasted
 * longer than the shortest p99 of their type's states, since no other can be in a state that is over its own.
 */
export async function claimRunsToWatch(
  sql: Sql,
  wanted: { readonly limit: number; readonly everySeconds: number; readonly leastSeconds: number },
): Promise<RunToRead[]> {
  return await sql<RunToRead[]>`
    with shortest as (
      select type, min(p99_seconds) as seconds from state_times
      where cardinality(seconds) >= ${leastPassages} group by type
    ),
    due as (
      select jobs.job_id, jobs.execution_name, jobs.redrive_count
      from jobs join shortest using (type) left join watched_runs watched on watched.job_id = jobs.job_id
      where status = 'RUNNING'
        and coalesce(started_at, created_at) < now() - make_interval(secs => greatest(shortest.seconds, ${wanted.leastSeconds}))
        and coalesce(watched.looked_at, '-infinity') < now() - make_interval(secs => ${wanted.everySeconds})
      order by watched.looked_at nulls first, created_at limit ${wanted.limit}
    ),
    claimed as (
      insert into watched_runs as watched (job_id, execution_name, redrive_count, looked_at)
      select job_id, execution_name, redrive_count, now() from due
      on conflict (job_id) do update
        set execution_name = excluded.execution_name, redrive_count = excluded.redrive_count, looked_at = excluded.looked_at
        where watched.looked_at < now() - make_interval(secs => ${wanted.everySeconds})
      returning job_id
    )
    select job_id as "jobId", type, execution_name as "executionName", execution_arn as "executionArn"
    from claimed join jobs using (job_id)`;
}

export type Look = { readonly jobId: string; readonly openStates: readonly OpenState[] };

export async function recordLooks(sql: Sql, looks: readonly Look[]): Promise<void> {
  await sql`
    update watched_runs set open_states = look."openStates"
    from jsonb_to_recordset(${sql.json(looks)}) as look("jobId" uuid, "openStates" jsonb)
    where job_id = look."jobId"`;
}

/** Runs that have ended, or went on as another one. */
export async function forgetEndedRuns(sql: Sql): Promise<void> {
  await sql`
    delete from watched_runs watched where not exists (
      select from jobs where jobs.job_id = watched.job_id and status = 'RUNNING'
        and execution_name = watched.execution_name and redrive_count = watched.redrive_count)`;
}

/** A job in a state that has lasted longer than 99 of 100 passages through it. */
export type SlowTask = {
  readonly jobId: JobId;
  readonly tenantId: TenantId;
  readonly type: string;
  readonly status: string;
  readonly executionName: string;
  readonly executionArn: string | null;
  readonly state: string;
  readonly since: Date;
  readonly ageSeconds: number;
  readonly usualSeconds: number;
  readonly attempts: number;
  readonly error: string | null;
};

const slowTasks = (sql: Sql, leastSeconds: number) => sql`
  select job_id, tenant_id, jobs.type, status, jobs.execution_name, execution_arn, open.state, open.since,
         extract(epoch from now() - open.since)::double precision as age_seconds, p99_seconds, open.attempts, open.error
  from watched_runs watched
  join jobs using (job_id, execution_name, redrive_count),
  lateral jsonb_to_recordset(open_states) as open(state text, since timestamptz, attempts integer, error text)
  join state_times on true
  where status = 'RUNNING' and state_times.type = jobs.type and state_times.state = open.state
    and cardinality(seconds) >= ${leastPassages}
    and open.since < now() - make_interval(secs => greatest(p99_seconds, ${leastSeconds}))`;

/** Those that are furthest over it first; as their histories said within the last minutes. Reads no jobs but watched ones. */
export async function findSlowTasks(
  sql: Sql,
  limit: number,
  leastSeconds = leastSlowSeconds,
): Promise<SlowTask[]> {
  return await sql<SlowTask[]>`
    select job_id as "jobId", tenant_id as "tenantId", type, status, execution_name as "executionName",
           execution_arn as "executionArn", state, since, age_seconds as "ageSeconds", p99_seconds as "usualSeconds",
           attempts, error
    from (${slowTasks(sql, leastSeconds)}) slow
    order by age_seconds / greatest(p99_seconds, 0.001) desc limit ${limit}`;
}

export type SlowTaskFigures = {
  readonly overP99: number;
  /** Over twice their p99: one in a hundred is over it and well. */
  readonly farOver: number;
  /** The one that is furthest over it. */
  readonly worst: Pick<SlowTask, 'type' | 'state' | 'ageSeconds' | 'usualSeconds'> | null;
};

export async function readSlowTaskFigures(sql: Sql): Promise<SlowTaskFigures> {
  const [row] = await sql<SlowTaskFigures[]>`
    with slow as materialized (${slowTasks(sql, leastSlowSeconds)})
    select count(*)::integer as "overP99",
           (count(*) filter (where age_seconds > 2 * p99_seconds))::integer as "farOver",
           (select jsonb_build_object('type', type, 'state', state, 'ageSeconds', age_seconds, 'usualSeconds', p99_seconds)
            from slow order by age_seconds / greatest(p99_seconds, 0.001) desc limit 1) as worst
    from slow`;
  return row ?? { overP99: 0, farOver: 0, worst: null };
}
