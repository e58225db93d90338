import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';

export type ActivityRow = {
  readonly arn: string;
  readonly name: string;
  readonly createdAt: number;
  /** JSON of encryptionConfiguration as given. */
  readonly encryption?: string;
};

export type ActivityStore = ReturnType<typeof createActivityStore>;

export function createActivityStore(db: DatabaseSync) {
  const insert = db.prepare(
    'insert into activities (arn, name, created_at, encryption) values (?, ?, ?, ?)',
  );
  const select = db.prepare('select * from activities where arn = ?');
  const list = db.prepare('select * from activities order by name limit ? offset ?');
  const remove = db.prepare('delete from activities where arn = ?');
  return {
    insert: (row: ActivityRow): void =>
      void insert.run(row.arn, row.name, row.createdAt, row.encryption ?? null),
    find: (arn: string): ActivityRow | undefined => toRow(select.get(arn)),
    list: (limit: number, offset: number): ActivityRow[] =>
      list
        .all(limit, offset)
        .map(toRow)
        .filter((row) => row !== undefined),
    remove: (arn: string): void => void remove.run(arn),
  };
}

function toRow(row: Record<string, SQLOutputValue> | undefined): ActivityRow | undefined {
  return (
    row && {
      arn: String(row['arn']),
      name: String(row['name']),
      createdAt: Number(row['created_at']),
      ...(row['encryption'] !== null && { encryption: String(row['encryption']) }),
    }
  );
}
