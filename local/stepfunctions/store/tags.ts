import type { DatabaseSync } from 'node:sqlite';

export type Tag = { readonly key: string; readonly value: string };
export type TagStore = ReturnType<typeof createTagStore>;

export function createTagStore(db: DatabaseSync) {
  const upsert = db.prepare(
    'insert into tags (arn, key, value) values (?, ?, ?) on conflict (arn, key) do update set value = excluded.value',
  );
  const select = db.prepare('select key, value from tags where arn = ? order by key');
  const remove = db.prepare('delete from tags where arn = ? and key = ?');
  const removeAll = db.prepare('delete from tags where arn = ?');
  return {
    put(arn: string, tags: readonly Tag[]): void {
      for (const { key, value } of tags) upsert.run(arn, key, value);
    },
    list: (arn: string): Tag[] =>
      select.all(arn).map((row) => ({ key: String(row['key']), value: String(row['value']) })),
    remove(arn: string, keys: readonly string[]): void {
      for (const key of keys) remove.run(arn, key);
    },
    removeAll: (arn: string): void => void removeAll.run(arn),
  };
}
