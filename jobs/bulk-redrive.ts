import type { Logger } from 'pino';
import { classify } from './classify.ts';
import { Transient } from './failure.ts';
import { requestRedrive } from './redrive.ts';
import {
  type BulkOutcome,
  type ClaimedJob,
  claimBulkJobs,
  recordBulkOutcomes,
  redrivenOutcome,
} from './store/bulk-redrives.ts';
import type { Sql } from './store/connect.ts';
import type { OutboxRow } from './store/outbox.ts';

export type BulkDeps = {
  readonly sql: Sql;
  readonly publishSoon: (row: OutboxRow) => void;
  readonly log: Logger;
};

/** Jobs redriven at the same time; each is two short statements. */
const concurrency = 4;

/** Redrives what the pace of every running bulk redrive allows by now; gives how many jobs it dealt with. */
export async function turnBulkRedrives(deps: BulkDeps): Promise<number> {
  const claimed = await claimBulkJobs(deps.sql);
  const byBulk = Map.groupBy(claimed, ({ bulkId }) => bulkId);
  for (const [bulkId, jobs] of byBulk) {
    const outcomes = await redriveAll(deps, jobs);
    if (outcomes.length > 0) await recordBulkOutcomes(deps.sql, bulkId, outcomes);
  }
  return claimed.length;
}

/** The outcomes of those that have one; a job that met an outage keeps its claim and is tried again after it. */
async function redriveAll(deps: BulkDeps, jobs: readonly ClaimedJob[]): Promise<BulkOutcome[]> {
  const outcomes: BulkOutcome[] = [];
  const waiting = [...jobs];
  const work = async (): Promise<void> => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      const outcome = await redriveOne(deps, job);
      if (outcome !== undefined) outcomes.push({ position: job.position, outcome });
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return outcomes;
}

async function redriveOne(deps: BulkDeps, job: ClaimedJob): Promise<string | undefined> {
  const { bulkId, jobId, run, mode, name, reason, again } = job;
  try {
    const redriven = await requestRedrive(deps.sql, {
      jobId,
      tenantId: undefined,
      mode,
      reason: `${name}: ${reason}`,
      actor: `bulk redrive ${bulkId}`,
      expiresAt: null,
      onlyRun: run,
    });
    if (redriven.outcome === 'not-found') return 'skipped: the job was removed';
    if (redriven.outcome === 'redriven') {
      if (redriven.row !== undefined) deps.publishSoon(redriven.row);
      return redrivenOutcome;
    }
    if (redriven.outcome === 'unique-key-taken')
      return 'skipped: another open job has its uniqueKey';
    // A worker that was killed after the redrive and before it wrote it down leaves the job in its next run.
    if (again && redriven.job.run > run) return redrivenOutcome;
    return `skipped: it is ${redriven.job.status} in run ${redriven.job.run}`;
  } catch (error) {
    const failure = classify(error);
    deps.log.error({ err: error, jobId, bulkId }, 'a job of a bulk redrive was not redriven');
    return failure instanceof Transient ? undefined : `skipped: ${failure.code}`;
  }
}
