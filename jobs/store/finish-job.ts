import { crashPoint } from '../crash-point.ts';
import type { Failure } from '../failure.ts';
import { type JobView, jobViewColumns } from './find-job.ts';
import type { Fence } from './open-run.ts';
import type { PendingQuery, Row } from 'postgres';
import type { Sql } from './connect.ts';
import { endInOrder, isOrdered } from './ordering.ts';

/** How a job ends by its execution. CANCELLED and EXPIRED are written with their stop message (stop-job.ts). */
export type Ending =
  | { readonly status: 'SUCCEEDED'; readonly result: unknown }
  | {
      readonly status: 'FAILED';
      readonly failure: Failure;
      /** It could not be started; where it runs nevertheless, nothing changes. */
      readonly onlyPending?: true;
      /** Its redrive was refused: the count goes back to the one that Step Functions shows. */
      readonly shownRedriveCount?: number;
    };

export type FinishedJob = JobView & { readonly traceparent: string | null };

/**
 * Writes a final status: the only function that does so for an execution. Moves PENDING and RUNNING jobs under
 * the fence, and raises the redrive count where the ending belongs to a redrive made outside Pawl, then also from
 * FAILED. Gives undefined where nothing changed: an old, a duplicate or a lost ending.
 *
 * One statement; for a job with an ordering key a transaction, which makes the key's next job due. A FAILED job
 * keeps its key where its type says so.
 *
 * `actor` is who says so (`task mark-succeeded`, `execution event`, `reconciler`, …); it stands in the audit trail.
 */
export async function finishJob(
  sql: Sql,
  fence: Fence,
  ending: Ending,
  actor: string,
): Promise<FinishedJob | undefined> {
  crashPoint('before-job-finished');
  const finished = await writeEnding(sql, fence, ending, actor, sql`and ordering_key is null`);
  if (finished !== undefined) crashPoint('after-job-finished');
  // What changed nothing may be ordered: only then is it worth a look.
  if (finished !== undefined || !(await isOrdered(sql, fence.jobId))) return finished?.job;
  return await endInOrder(sql, fence.jobId, async (tx) => {
    const ended = await writeEnding(tx, fence, ending, actor, tx`and ordering_key is not null`);
    const lettingGo =
      ended !== undefined && !(ending.status === 'FAILED' && ended.failureBlocksKey);
    return { ended: ended?.job, lettingGo };
  });
}

async function writeEnding(
  sql: Sql,
  fence: Fence,
  ending: Ending,
  actor: string,
  guard: PendingQuery<Row[]>,
): Promise<{ readonly job: FinishedJob; readonly failureBlocksKey: boolean } | undefined> {
  const { jobId, executionName, redriveCount } = fence;
  const result = ending.status === 'SUCCEEDED' ? sql.json(ending.result as never) : null;
  const failure = ending.status === 'FAILED' ? sql.json(ending.failure) : null;
  const notBegun =
    ending.status === 'FAILED' && ending.onlyPending === true ? sql`and status = 'PENDING'` : sql``;
  const shown = ending.status === 'FAILED' ? ending.shownRedriveCount : undefined;
  const countAfter = shown ?? redriveCount;
  const reason = ending.status === 'FAILED' ? ending.failure.code : 'its execution succeeded';
  const [row] = await sql<(FinishedJob & { failureBlocksKey: boolean })[]>`
    with finished as (
      update jobs set
        status = ${ending.status}, redrive_count = ${countAfter}, revision = revision + 1,
        run = run + (redrive_count < ${redriveCount})::integer,
        result = ${result}::jsonb, failure = ${failure}::jsonb,
        started_at = coalesce(started_at, now()), finished_at = now(), owner_until = null
      where job_id = ${jobId} and execution_name = ${executionName}
        and ((redrive_count = ${redriveCount} and status in ('PENDING', 'RUNNING'))
          or (redrive_count < ${redriveCount} and status in ('PENDING', 'RUNNING', 'FAILED')))
        ${guard} ${notBegun}
      returning jobs.*, old.status as from_status
    ),
    audited as (
      insert into job_events (job_id, tenant_id, run, actor, from_status, to_status, reason, details)
      select job_id, tenant_id, run, ${actor}, from_status, status, ${reason},
             jsonb_build_object('executionName', ${executionName}::text, 'redriveCount', ${countAfter}::integer)
      from finished
    )
    select ${jobViewColumns(sql)}, traceparent, failure_blocks_key as "failureBlocksKey" from finished`;
  if (row === undefined) return undefined;
  const { failureBlocksKey, ...job } = row;
  return { job, failureBlocksKey };
}

/** The job where it is SUCCEEDED under this very fence: a repeated mark-succeeded is a success again. */
export async function findSucceeded(sql: Sql, fence: Fence): Promise<FinishedJob | undefined> {
  const [job] = await sql<FinishedJob[]>`
    select ${jobViewColumns(sql)}, traceparent from jobs
    where job_id = ${fence.jobId} and execution_name = ${fence.executionName}
      and redrive_count = ${fence.redriveCount} and status = 'SUCCEEDED'`;
  return job;
}
