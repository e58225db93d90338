import type { DatabaseSync } from 'node:sqlite';

const ENTRIES_PER_EXECUTION = 2 ** 22;

export type EventLog = {
  /** Must run inside a transaction. */
  append(executionId: number, entry: number, body: string): void;
  /** The bodies of all entries, oldest first. */
  read(executionId: number): string[];
  readFirst(executionId: number): string | undefined;
  remove(executionId: number): void;
};

/** The log of every execution: append-only rows, each the JSON of what one turn appended. */
export function createEventLog(db: DatabaseSync): EventLog {
  const insert = db.prepare('insert into log (key, body) values (?, ?)');
  const select = db.prepare('select body from log where key >= ? and key < ? order by key');
  const selectFirst = db.prepare('select body from log where key = ?');
  const remove = db.prepare('delete from log where key >= ? and key < ?');
  const from = (executionId: number): number => executionId * ENTRIES_PER_EXECUTION;
  return {
    append(executionId, entry, body) {
      if (entry >= ENTRIES_PER_EXECUTION) {
        throw new RangeError(
          `execution ${executionId} has ${entry} log entries, the most there can be`,
        );
      }
      insert.run(from(executionId) + entry, body);
    },
    read: (executionId) =>
      select.all(from(executionId), from(executionId + 1)).map((row) => String(row['body'])),
    readFirst(executionId) {
      const row = selectFirst.get(from(executionId));
      return row && String(row['body']);
    },
    remove: (executionId) => void remove.run(from(executionId), from(executionId + 1)),
  };
}
