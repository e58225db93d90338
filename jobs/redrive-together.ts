import { type RedriveRequest, type RedriveStatements, redriveStatements } from './redrive.ts';
import { shareStatement } from './share-statement.ts';
import type { Sql } from './store/connect.ts';
import { reopenJobs } from './store/redrive-job.ts';
import { findJobStates } from './store/stop-job.ts';

/** As many jobs as share a statement, each a few rows. */
export const redrivenTogether = 50;
/** The worker's other statements need connections, too. */
const maxInFlight = 4;

/**
 * Jobs of all tenants that are redriven at the same moment are read in one statement and reopened in one commit. Those with
 * an ordering or a unique key, and those that are held, go by themselves, a few at a time.
 */
export function createRedriveTogether(sql: Sql): RedriveStatements {
  const alone = redriveStatements(sql);
  const inTurn = <Item, Answer>(work: (item: Item) => Promise<Answer>) =>
    shareStatement<Item, Answer>({
      maxItems: 1,
      maxInFlight,
      together: (items) => Promise.all(items.map(work)),
    });
  const reopenAlone = inTurn(alone.reopen);
  const reopenTogether = shareStatement({
    maxItems: redrivenTogether,
    maxInFlight,
    together: (openings: readonly Parameters<RedriveStatements['reopen']>[0][]) =>
      reopenJobs(
        sql,
        openings.map((opening) => ({ ...opening, mayGo: true })),
      ),
  });
  return {
    findJob: shareStatement({
      maxItems: redrivenTogether,
      maxInFlight,
      together: (requests: readonly RedriveRequest[]) =>
        findJobStates(
          sql,
          requests.map(({ jobId }) => jobId),
        ),
    }),
    sendHeldAgain: inTurn(alone.sendHeldAgain),
    reopen: (opening) =>
      opening.job.ordered || opening.job.hasUniqueKey
        ? reopenAlone(opening)
        : reopenTogether(opening),
  };
}
