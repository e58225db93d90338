import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';

export type Row = Record<string, SQLOutputValue>;

/** Text of a column that cannot be null. */
export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new TypeError(`index column ${column} holds no text`);
  return value;
}

export function textOrUndefined(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : text(row, column);
}

/** A whole number of a column that cannot be null. */
export function integer(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== 'number') throw new TypeError(`index column ${column} holds no number`);
  return value;
}

export function integerOrUndefined(row: Row, column: string): number | undefined {
  return row[column] === null ? undefined : integer(row, column);
}

/** A JSON object of strings, as this server itself wrote it. */
export function stringMap(row: Row, column: string): Record<string, string> {
  const parsed: unknown = JSON.parse(text(row, column));
  if (typeof parsed !== 'object' || parsed === null) {
    throw new TypeError(`index column ${column} holds no JSON object`);
  }
  return Object.fromEntries(Object.entries(parsed).map(([name, value]) => [name, String(value)]));
}

/** Runs synchronous statements as one transaction, durable on return. */
export function inTransaction<Result>(db: DatabaseSync, work: () => Result): Result {
  db.exec('begin immediate');
  try {
    const result = work();
    db.exec('commit');
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec('rollback');
    throw error;
  }
}
