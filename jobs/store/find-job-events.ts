import type { JobId } from '../ids.ts';
import type { Sql } from './connect.ts';
import type { JobStatus } from './find-job.ts';

/** One arrow that a job has taken. */
export type StatusEvent = {
  /** Grows with time within a job. A bigint, as text. */
  readonly eventNo: string;
  readonly run: number;
  readonly at: Date;
  readonly status: JobStatus;
};

/** The arrows a job has taken after event `after` ('0': all), in order. What an operator did besides is left out. */
export async function findStatusEvents(
  sql: Sql,
  jobId: JobId,
  after: string,
): Promise<StatusEvent[]> {
  return await sql<StatusEvent[]>`
    select event_no::text as "eventNo", run, at, to_status as status from job_events
    where job_id = ${jobId} and event_no > ${after}::bigint and from_status is distinct from to_status
    order by event_no`;
}
