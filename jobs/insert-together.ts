import { shareStatement } from './share-statement.ts';
import type { Sql } from './store/connect.ts';
import { insertJobs, type NewJob } from './store/submit-job.ts';
import type { InsertJob } from './submit.ts';

/** A statement stays small enough that nobody waits long for those who came with him. */
const maxItems = 50;
/** While two statements are under way the next jobs gather: one at the disk, one on its way there. */
const maxInFlight = 2;
/** An input of 256 KiB is no small thing in a statement of fifty. */
const maxInputCharacters = 16 * 1024;

/**
 * Stores jobs that come at the same moment in one statement and one commit; a lone one goes at once.
 * Jobs with an ordering or a unique key go alone: their rows may make a statement wait for a transaction.
 */
export const createInsertTogether = (sql: Sql): InsertJob =>
  shareStatement({
    maxItems,
    maxInFlight,
    sharable: ({ orderingKey, uniqueKey, input }: NewJob) =>
      orderingKey === null &&
      uniqueKey === null &&
      JSON.stringify(input).length <= maxInputCharacters,
    together: async (jobs) => {
      const inserted = new Map((await insertJobs(sql, jobs)).map((job) => [job.jobId, job]));
      return jobs.map(({ jobId }) => inserted.get(jobId));
    },
  });
