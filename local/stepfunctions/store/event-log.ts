import type { DatabaseSync } from 'node:sqlite';

export type EventLog = {
  /** Must run inside a transaction. */
  append(executionId: number, body: string): void;
  /** The bodies of all entries, oldest first. */
  read(executionId: number): string[];
  readFirst(executionId: number): string | undefined;
  remove(executionId: number): void;
};

/** The log of every execution: append-only rows, each the JSON of what one turn appended. */
export function createEventLog(db: DatabaseSync): EventLog {
  const insert = db.prepare('insert into log (execution, body) values (?, ?)');
  const select = db.prepare('select body from log where execution = ? order by id');
  const selectFirst = db.prepare('select body from log where execution = ? order by id limit 1');
  const remove = db.prepare('delete from log where execution = ?');
  return {
    append: (executionId, body) => void insert.run(executionId, body),
    read: (executionId) => select.all(executionId).map((row) => String(row['body'])),
    readFirst(executionId) {
      const row = selectFirst.get(executionId);
      return row && String(row['body']);
    },
    remove: (executionId) => void remove.run(executionId),
  };
}
