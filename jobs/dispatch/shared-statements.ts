import { shareStatement } from '../share-statement.ts';
import type { Sql } from '../store/connect.ts';
import { findShown, recordStarts, type Shown, type Start } from '../store/dispatched-run.ts';
import type { Fence } from '../store/open-run.ts';
import { type Claiming, claimMessages, type InboxAnswer } from '../store/inbox.ts';

/** What the dispatcher asks of the database for every message and event, shared by those that come at about the same moment. */
export type SharedStatements = {
  /** Takes one message in and claims it, as claimMessages. */
  readonly claimMessage: (claiming: Claiming) => Promise<InboxAnswer>;
  /** Records one start; gives the status that its job had before, as recordStarts. */
  readonly recordStarted: (start: Start) => Promise<string | undefined>;
  /** What the job of an execution's event shows of it, as findShown. */
  readonly shownOf: (fence: Fence) => Promise<Shown | undefined>;
};

/** A statement stays small enough that nobody waits long for those who came with him. */
const maxItems = 50;
const maxInFlight = 4;
/**
 * The execution is on its way already and nobody waits for this record, while the first task wants the job's row to
 * itself: it is left to it for this long, and further starts come together meanwhile. Far below the claim's lease.
 */
const startsGatherMs = 30;

/** Two deliveries of one message in a statement make it fail, and each is then claimed by itself. */
export const createSharedStatements = (sql: Sql): SharedStatements => ({
  claimMessage: shareStatement({
    maxItems,
    maxInFlight,
    together: (wanted: readonly Claiming[]) => claimMessages(sql, wanted),
  }),
  recordStarted: shareStatement({
    maxItems,
    maxInFlight,
    gatherMs: startsGatherMs,
    together: (starts: readonly Start[]) => recordStarts(sql, starts),
  }),
  shownOf: shareStatement({
    maxItems,
    maxInFlight,
    together: (fences: readonly Fence[]) => findShown(sql, fences),
  }),
});
