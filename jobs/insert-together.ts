import { createMicroBatch } from './micro-batch.ts';
import type { Sql } from './store/connect.ts';
import { type InsertedJob, insertJobs, type NewJob } from './store/submit-job.ts';
import { insertAlone, type InsertJob } from './submit.ts';

/** A statement stays small enough that nobody waits long for those who came with him. */
const maxJobs = 50;
/** While two statements are under way the next jobs gather: one at the disk, one on its way there. */
const maxInFlight = 2;
/** An input of 256 KiB is no small thing in a statement of fifty. */
const maxInputCharacters = 16 * 1024;

type Waiting = {
  readonly job: NewJob;
  readonly settle: (inserted: Promise<InsertedJob | undefined>) => void;
};

/**
 * Stores jobs that come at the same moment in one statement and one commit; a lone one goes at once, by itself. Each
 * answer is given after the commit that holds its job. What fails for several is tried for each alone, so that nobody
 * pays for another one's job.
 *
 * Jobs with an ordering or a unique key go alone: their rows may make a statement wait for a transaction.
 */
export function createInsertTogether(sql: Sql): InsertJob {
  const alone = insertAlone(sql);
  const batch = createMicroBatch<Waiting>({
    maxItems: maxJobs,
    maxInFlight,
    flush: async (waiting) => {
      try {
        const inserted = await insertJobs(
          sql,
          waiting.map(({ job }) => job),
        );
        const byId = new Map(inserted.map((job) => [job.jobId, job]));
        for (const { job, settle } of waiting) settle(Promise.resolve(byId.get(job.jobId)));
      } catch (error) {
        for (const { job, settle } of waiting) {
          settle(waiting.length === 1 ? Promise.reject(error) : alone(job));
        }
      }
    },
  });
  return async (job) =>
    canGoTogether(job)
      ? await new Promise((resolve) => batch.add({ job, settle: resolve }))
      : await alone(job);
}

const canGoTogether = ({ orderingKey, uniqueKey, input }: NewJob): boolean =>
  orderingKey === null && uniqueKey === null && JSON.stringify(input).length <= maxInputCharacters;
