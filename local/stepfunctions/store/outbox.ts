import type { DatabaseSync } from 'node:sqlite';

export type OutboxRow = { readonly id: number; readonly event: string };
export type Outbox = ReturnType<typeof createOutbox>;

/** Status-change events that EventBridge has not acknowledged yet. */
export function createOutbox(db: DatabaseSync) {
  const insert = db.prepare('insert into outbox (event) values (?)');
  const select = db.prepare('select id, event from outbox order by id limit ?');
  const remove = db.prepare('delete from outbox where id = ?');
  return {
    /** Must run inside the transaction that changes the status. */
    add: (event: string): void => void insert.run(event),
    oldest: (limit: number): OutboxRow[] =>
      select.all(limit).map((row) => ({ id: Number(row['id']), event: String(row['event']) })),
    remove(ids: readonly number[]): void {
      for (const id of ids) remove.run(id);
    },
  };
}
