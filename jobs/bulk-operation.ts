import type { Logger } from 'pino';
import { classify } from './classify.ts';
import { Transient } from './failure.ts';
import { requestRedrive, type RedriveStatements } from './redrive.ts';
import { createRedriveTogether, redrivenTogether } from './redrive-together.ts';
import { requestCancel } from './stop.ts';
import {
  type BulkOutcome,
  type ClaimedJob,
  claimBulkJobs,
  doneOutcome,
  recordBulkOutcomes,
} from './store/bulk-operations.ts';
import { collectBulk } from './store/collect-bulk.ts';
import type { Sql } from './store/connect.ts';
import type { OutboxRow } from './store/outbox.ts';

export type BulkDeps = {
  readonly sql: Sql;
  readonly publishSoon: (row: OutboxRow) => void;
  /** The job types that have a state machine. */
  readonly knownTypes: readonly string[];
  readonly log: Logger;
};

/** Jobs cancelled at the same time, each is two short statements; redriven ones share theirs. */
const cancelledTogether = 4;

/**
 * Collects a page of a list that is not complete, and redrives or cancels what the pace of every running bulk operation
 * allows by now; gives how many jobs it dealt with.
 */
export async function turnBulkOperations(deps: BulkDeps): Promise<number> {
  await collectPage(deps);
  const claimed = await claimBulkJobs(deps.sql);
  const byBulk = Map.groupBy(claimed, ({ bulkId }) => bulkId);
  for (const [bulkId, jobs] of byBulk) {
    const outcomes = await takeAll(deps, jobs);
    if (outcomes.length > 0) await recordBulkOutcomes(deps.sql, bulkId, outcomes);
  }
  return claimed.length;
}

/** One whose page cannot be collected holds up nobody whose list is there. */
async function collectPage({ sql, knownTypes, log }: BulkDeps): Promise<void> {
  try {
    await collectBulk(sql, knownTypes, null);
  } catch (error) {
    log.error({ err: error }, 'a page of a bulk operation was not collected');
  }
}

/** The outcomes of those that have one; a job that met an outage keeps its claim and is tried again after it. */
async function takeAll(deps: BulkDeps, jobs: readonly ClaimedJob[]): Promise<BulkOutcome[]> {
  const outcomes: BulkOutcome[] = [];
  const waiting = [...jobs];
  const redriving = createRedriveTogether(deps.sql);
  const work = async (): Promise<void> => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      const outcome = await takeOne(deps, job, redriving);
      if (outcome !== undefined) outcomes.push({ position: job.position, outcome });
    }
  };
  const atOnce = jobs[0]?.verb === 'redrive' ? redrivenTogether : cancelledTogether;
  await Promise.all(Array.from({ length: atOnce }, work));
  return outcomes;
}

async function takeOne(
  deps: BulkDeps,
  job: ClaimedJob,
  redriving: RedriveStatements,
): Promise<string | undefined> {
  const { bulkId, jobId, verb } = job;
  try {
    return verb === 'cancel' ? await cancelOne(deps, job) : await redriveOne(deps, job, redriving);
  } catch (error) {
    const failure = classify(error);
    deps.log.error({ err: error, jobId, bulkId }, `a job of a bulk ${verb} was left as it is`);
    return failure instanceof Transient ? undefined : `skipped: ${failure.code}`;
  }
}

const requestOf = ({ bulkId, jobId, run, verb, name, reason }: ClaimedJob) => ({
  jobId,
  tenantId: undefined,
  reason: `${name}: ${reason}`,
  actor: `bulk ${verb} ${bulkId}`,
  onlyRun: run,
});

async function redriveOne(
  { sql, publishSoon }: BulkDeps,
  job: ClaimedJob,
  redriving: RedriveStatements,
): Promise<string> {
  const request = { ...requestOf(job), mode: job.mode ?? 'auto', expiresAt: null } as const;
  const redriven = await requestRedrive(sql, request, redriving);
  switch (redriven.outcome) {
    case 'not-found':
      return removed;
    case 'unique-key-taken':
      return 'skipped: another open job has its uniqueKey';
    case 'redriven':
      if (redriven.row !== undefined) publishSoon(redriven.row);
      return doneOutcome;
    case 'not-redrivable':
      // A worker that was killed after the redrive and before it wrote it down leaves the job in its next run.
      return job.again && redriven.job.run > job.run ? doneOutcome : movedOn(redriven.job);
  }
}

async function cancelOne({ sql, publishSoon }: BulkDeps, job: ClaimedJob): Promise<string> {
  const cancelled = await requestCancel(sql, { ...requestOf(job), producer: 'worker' });
  switch (cancelled.outcome) {
    case 'not-found':
      return removed;
    case 'begun':
      return 'skipped: it has begun, and undoes by itself what cannot be done';
    case 'stopped':
      publishSoon(cancelled.row);
      return doneOutcome;
    case 'already-stopped':
      // By a worker that was killed before it wrote that down.
      return job.again ? doneOutcome : movedOn(cancelled.job);
    case 'final':
      return movedOn(cancelled.job);
  }
}

const removed = 'skipped: the job was removed';
const movedOn = (job: { readonly status: string; readonly run: number }): string =>
  `skipped: it is ${job.status} in run ${job.run}`;
