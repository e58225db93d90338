import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { MIGRATIONS } from './schema.ts';

/** The data folder cannot be used; the message says why and what can be done. */
export class StoreUnusableError extends Error {
  override readonly name = 'StoreUnusableError';
}

/**
 * Opens (or creates) `stepfunctions.sqlite` in the folder.
 * WAL with synchronous=FULL: a commit returns after its fsync, and a torn last write is rolled
 * back by SQLite itself. Throws StoreUnusableError for a damaged file, another engine on the same
 * folder, or a file of a later version.
 */
export function openDatabase(dataDir: string): DatabaseSync {
  const file = join(dataDir, 'stepfunctions.sqlite');
  mkdirSync(dataDir, { recursive: true });
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file);
    // Exclusive: a second engine on the same folder must fail at once, not interleave.
    db.exec('pragma locking_mode = exclusive');
    db.exec('pragma journal_mode = wal');
    db.exec('pragma synchronous = full');
    db.exec('pragma cache_size = -65536');
    db.exec('pragma wal_autocheckpoint = 4000');
    checkIntegrity(db, file);
    migrate(db, file);
    return db;
  } catch (error) {
    db?.close();
    if (error instanceof StoreUnusableError) throw error;
    throw new StoreUnusableError(`${file} cannot be used: ${explain(error)}`, { cause: error });
  }
}

/** Reading everything takes a second per gigabyte: beyond this damage shows when it is read. */
const MAX_CHECKED_BYTES = 2 * 1024 ** 3;

function checkIntegrity(db: DatabaseSync, file: string): void {
  if (statSync(file).size > MAX_CHECKED_BYTES) return;
  const row = db.prepare('pragma quick_check(1)').get();
  const verdict = row ? Object.values(row)[0] : undefined;
  if (verdict !== 'ok') {
    throw new StoreUnusableError(
      `${file} is damaged (${String(verdict)}). Restore it from a backup, or move it away to start empty.`,
    );
  }
}

function migrate(db: DatabaseSync, file: string): void {
  const version = Number(db.prepare('pragma user_version').get()?.['user_version'] ?? 0);
  if (version > MIGRATIONS.length) {
    throw new StoreUnusableError(
      `${file} has schema version ${version}, this engine knows ${MIGRATIONS.length}. Use the engine that wrote it, or a later one.`,
    );
  }
  if (version === MIGRATIONS.length) return;
  db.exec('begin immediate');
  for (const migration of MIGRATIONS.slice(version)) db.exec(migration);
  db.exec(`pragma user_version = ${MIGRATIONS.length}`);
  db.exec('commit');
}

function explain(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  if (/locked/.test(text)) return 'another engine is using it (database is locked)';
  if (/not a database|malformed/.test(text)) {
    return `it is damaged (${text}). Restore it from a backup, or move it away to start empty`;
  }
  return text;
}
