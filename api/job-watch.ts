import type { Logger } from 'pino';
import type { JobId } from '../jobs/ids.ts';
import type { Sql } from '../jobs/store/connect.ts';
import { findChangedJobs, type JobView } from '../jobs/store/find-job.ts';

/** What is told to whoever watches a job. */
export type Watcher = {
  /** The job moved on from the revision the watcher knows; called again for each later one. */
  readonly onChange: (job: JobView) => void;
  /** The process is stopping: nothing more will be told. */
  readonly onClose: () => void;
};

/** Watches jobs for held requests and event streams: one query a tick for all of them, whatever their number. */
export type JobWatch = {
  /** Watches from the revision of `job` on; the function it gives ends that. */
  watch(job: Pick<JobView, 'jobId' | 'revision'>, watcher: Watcher): () => void;
  readonly size: number;
  close(): void;
};

/** No LISTEN/NOTIFY: it serialises commits and costs a connection (docs/decisions/no-listen-notify.md). */
const tickAfterErrorMs = 1_000;
const shortestTickMs = 8;
const longestTickMs = 200;

/**
 * Most jobs end soon after they were asked for, so a watch that has just begun is looked at often and an old one
 * seldom; a query over thousands of jobs may take a fifth of the time at most.
 */
export const nextTickMs = (youngestAgeMs: number, lastQueryMs: number): number =>
  Math.min(longestTickMs, Math.max(shortestTickMs, youngestAgeMs / 20, lastQueryMs * 4));

type Watching = { readonly jobId: JobId; revision: number; readonly watcher: Watcher };

export function createJobWatch({ sql, log }: { sql: Sql; log: Logger }): JobWatch {
  const watching = new Map<JobId, Set<Watching>>();
  let size = 0;
  let timer: NodeJS.Timeout | undefined;
  let dueAt = Number.POSITIVE_INFINITY;
  let isTicking = false;
  let youngestAt = 0;
  let isClosed = false;

  /** Moves the next tick to `ms` from now, unless it comes sooner anyway. */
  const schedule = (ms: number): void => {
    const at = performance.now() + ms;
    if (isTicking || size === 0 || isClosed || at >= dueAt) return;
    clearTimeout(timer);
    dueAt = at;
    timer = setTimeout(() => void tick(), ms);
  };
  const tick = async (): Promise<void> => {
    isTicking = true;
    dueAt = Number.POSITIVE_INFINITY;
    const began = performance.now();
    let hasFailed = false;
    try {
      for (const job of await findChangedJobs(sql, oldestKnown(watching))) tell(watching, job);
    } catch (error) {
      log.warn({ err: error, watching: size }, 'watched jobs could not be read; the watch goes on');
      hasFailed = true;
    }
    isTicking = false;
    const now = performance.now();
    schedule(hasFailed ? tickAfterErrorMs : nextTickMs(now - youngestAt, now - began));
  };
  return {
    watch({ jobId, revision }, watcher) {
      const entry: Watching = { jobId, revision, watcher };
      const ofJob = watching.get(jobId) ?? new Set();
      watching.set(jobId, ofJob.add(entry));
      size += 1;
      youngestAt = performance.now();
      if (isClosed) setImmediate(watcher.onClose);
      schedule(shortestTickMs);
      return () => {
        if (!ofJob.delete(entry)) return;
        size -= 1;
        if (ofJob.size === 0 && watching.get(jobId) === ofJob) watching.delete(jobId);
      };
    },
    get size() {
      return size;
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      for (const { watcher } of [...watching.values()].flatMap((ofJob) => [...ofJob])) {
        watcher.onClose();
      }
    },
  };
}

/** Of each job the oldest revision that somebody knows: whoever knows a newer one is not told it again. */
function oldestKnown(watching: ReadonlyMap<JobId, ReadonlySet<Watching>>) {
  return [...watching].map(([jobId, ofJob]) => ({
    jobId,
    revision: Math.min(...[...ofJob].map((entry) => entry.revision)),
  }));
}

function tell(watching: ReadonlyMap<JobId, ReadonlySet<Watching>>, job: JobView): void {
  for (const entry of watching.get(job.jobId) ?? []) {
    if (entry.revision >= job.revision) continue;
    entry.revision = job.revision;
    entry.watcher.onChange(job);
  }
}
