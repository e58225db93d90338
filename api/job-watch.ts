import type { Logger } from 'pino';
import type { JobId } from '../jobs/ids.ts';
import { InFlight } from '../jobs/in-flight.ts';
import { createMicroBatch } from '../jobs/micro-batch.ts';
import type { Sql } from '../jobs/store/connect.ts';
import type { EndedJobs } from '../jobs/store/ended-jobs.ts';
import { findChangedJobs, isFinal, type JobView } from '../jobs/store/find-job.ts';
import { createPatience } from './watch-patience.ts';

/** What is told to whoever watches a job. */
export type Watcher = {
  /** The job moved on from the revision the watcher knows; called again for each later one. */
  readonly onChange: (job: JobView) => void;
  /** The process is stopping: nothing more will be told. */
  readonly onClose: () => void;
};

/**
 * Watches jobs for held requests and event streams: one query a tick for all of them, whatever their number, and one for
 * those whose end was called out just now with more than a call holds.
 */
export type JobWatch = {
  /** Watches from the revision of `job` on; the function it gives ends that. */
  watch(job: Watched, watcher: Watcher): () => void;
  readonly size: number;
  close(): void;
};

const tickAfterErrorMs = 1_000;
const shortestTickMs = 4;
/** While ends are called out: only what comes before an end, and an end that was called to nobody, is left to the ticks. */
const shortestTickOfListenerMs = 40;
/** How many jobs that have ended one query reads. */
const maxEnded = 500;
const longestTickMs = 200;

/**
 * Most jobs end soon after they were asked for, so a watch that has just begun is looked at often and an old one
 * seldom; a query over thousands of jobs may take a fifth of the time at most.
 */
export const nextTickMs = (
  youngestAgeMs: number,
  lastQueryMs: number,
  shortestMs = shortestTickMs,
): number => Math.min(longestTickMs, Math.max(shortestMs, youngestAgeMs / 20, lastQueryMs * 4));

/** `since` and `firstLook` in milliseconds of performance.now(). */
type Watching = {
  readonly number: number;
  readonly jobId: JobId;
  revision: number;
  readonly watcher: Watcher;
  readonly since: number;
  /** Not before this moment it is likely to have anything to tell. */
  readonly firstLook: number;
};

type Watched = Pick<JobView, 'jobId' | 'type' | 'revision'>;

type Deps = {
  readonly sql: Sql;
  readonly log: Logger;
  /** Default: nobody is heard of, and ends are seen by the ticks. */
  readonly endedJobs?: EndedJobs | undefined;
};

export function createJobWatch({ sql, log, endedJobs }: Deps): JobWatch {
  const watching = new InFlight<JobId, Set<Watching>>();
  /** Those whose first look is still to come. */
  const fresh = new InFlight<number, Watching>();
  const patience = createPatience();
  let size = 0;
  let begun = 0;
  let timer: NodeJS.Timeout | undefined;
  let dueAt = Number.POSITIVE_INFINITY;
  let isTicking = false;
  let youngestAt = 0;
  let restsUntil = 0;
  let isClosed = false;

  const isListening = (): boolean => endedJobs?.isListening === true;
  const ended = createMicroBatch<JobId>({
    maxItems: maxEnded,
    maxInFlight: 1,
    early: true,
    flush: async (jobIds) => {
      try {
        const known = jobIds.flatMap((jobId) => oldestKnown(watching.get(jobId)));
        if (known.length === 0) return; // whoever waited for them has gone
        for (const job of await findChangedJobs(sql, known)) tell(job);
      } catch (error) {
        log.warn({ err: error, ended: jobIds.length }, 'ended jobs could not be read; a tick will');
      }
    },
  });
  endedJobs?.onEnded((jobId, read) => {
    if (watching.get(jobId) === undefined) return;
    const job = read();
    if (job === undefined) ended.add(jobId);
    else tell(job);
  });

  const nextFirstLook = (): number =>
    fresh.values().reduce((soonest, { firstLook }) => Math.min(soonest, firstLook), Infinity);

  /** Moves the next tick to `wanted`, unless it comes sooner anyway; never into the rest after a slow query. */
  const schedule = (wanted: number): void => {
    const at = Math.max(wanted, restsUntil);
    if (isTicking || size === 0 || isClosed || at >= dueAt) return;
    clearTimeout(timer);
    dueAt = at;
    timer = setTimeout(() => void tick(), at - performance.now());
  };
  const scheduleNext = (queryMs: number): void => {
    const now = performance.now();
    restsUntil = now + Math.min(longestTickMs, queryMs * 4);
    for (const entry of fresh.values()) {
      if (entry.firstLook > now) continue;
      fresh.delete(entry.number);
      youngestAt = Math.max(youngestAt, entry.since);
    }
    const shortestMs = isListening() ? shortestTickOfListenerMs : shortestTickMs;
    if (size > fresh.size) schedule(now + nextTickMs(now - youngestAt, queryMs, shortestMs));
    schedule(nextFirstLook());
  };
  const tick = async (): Promise<void> => {
    dueAt = Number.POSITIVE_INFINITY;
    const began = performance.now();
    // Whoever it was set for may have been told before; a timer may come up to a millisecond early.
    const firstLook = nextFirstLook();
    if (size === fresh.size && firstLook > began + 1) return schedule(firstLook);
    isTicking = true;
    let hasFailed = false;
    try {
      const known = watching.values().flatMap((ofJob) => oldestKnown(ofJob));
      for (const job of await findChangedJobs(sql, known)) tell(job);
    } catch (error) {
      log.warn({ err: error, watching: size }, 'watched jobs could not be read; the watch goes on');
      hasFailed = true;
    }
    isTicking = false;
    if (hasFailed) schedule(performance.now() + tickAfterErrorMs);
    else scheduleNext(performance.now() - began);
  };
  const tell = (job: JobView): void => {
    for (const entry of watching.get(job.jobId) ?? []) {
      if (entry.revision >= job.revision) continue;
      entry.revision = job.revision;
      if (isFinal(job.status)) patience.learn(job.type, performance.now() - entry.since);
      entry.watcher.onChange(job);
    }
  };
  return {
    watch(job, watcher) {
      const since = performance.now();
      const firstLook = since + (isListening() ? shortestTickOfListenerMs : patience.of(job.type));
      const { jobId, revision } = job;
      const entry: Watching = { number: (begun += 1), jobId, revision, watcher, since, firstLook };
      const ofJob = watching.get(jobId) ?? new Set();
      watching.set(jobId, ofJob.add(entry));
      fresh.set(entry.number, entry);
      size += 1;
      if (isClosed) setImmediate(watcher.onClose);
      schedule(firstLook);
      return () => {
        if (!ofJob.delete(entry)) return;
        fresh.delete(entry.number);
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
      for (const { watcher } of watching.values().flatMap((ofJob) => [...ofJob])) {
        watcher.onClose();
      }
    },
  };
}

/** The oldest revision of a job that somebody knows: whoever knows a newer one is not told it again. */
function oldestKnown(ofJob: ReadonlySet<Watching> = new Set()) {
  const [oldest] = [...ofJob].sort((one, other) => one.revision - other.revision);
  return oldest === undefined ? [] : [{ jobId: oldest.jobId, revision: oldest.revision }];
}
