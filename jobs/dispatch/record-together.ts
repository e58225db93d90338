import { shareStatement } from '../share-statement.ts';
import type { Sql } from '../store/connect.ts';
import { recordStarts, type Start } from '../store/dispatched-run.ts';

/** Records one start; gives the status that its job had before, as recordStarts. */
export type RecordStarted = (start: Start) => Promise<string | undefined>;

/** A statement stays small enough that nobody waits long for those who came with him. */
const maxItems = 50;
/**
 * The execution is on its way already and nobody waits for this record, while the first task wants the job's row to
 * itself: it is left to it for this long, and further starts come together meanwhile. Far below the claim's lease.
 */
const gatherMs = 10;

/** Records starts that come at about the same moment in one statement and one commit. */
export const createRecordStarted = (sql: Sql): RecordStarted =>
  shareStatement({
    maxItems,
    maxInFlight: 2,
    gatherMs,
    together: (starts) => recordStarts(sql, starts),
  });
