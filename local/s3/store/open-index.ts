import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const schemaVersion = 2;
/** Long enough for a predecessor that is just being killed. */
const lockWaitMs = 1000;

/**
 * `versions.seq` orders the versions of a key: the highest is the current one (`is_current`).
 * An object's bytes are its segments in order: one for a single PUT, one per part for a multipart upload.
 */
const schema = `
  create table buckets (
    name text primary key, created_at_ms integer not null,
    versioning text not null default 'Unversioned' check (versioning in ('Unversioned', 'Enabled', 'Suspended')),
    lifecycle text, cors text
  ) strict;
  create table versions (
    seq integer primary key autoincrement,
    bucket text not null references buckets (name), key text not null, version_id text not null,
    is_current integer not null, is_delete_marker integer not null,
    bytes integer not null, etag text not null, last_modified_ms integer not null,
    headers text not null, metadata text not null, tags text not null,
    checksum_algorithm text, checksum_type text, checksum_value text,
    unique (bucket, key, version_id)
  ) strict;
  create unique index current_version on versions (bucket, key) where is_current = 1;
  create index versions_of_key on versions (bucket, key, seq desc);
  create table segments (
    seq integer not null references versions (seq) on delete cascade, position integer not null,
    file text not null, bytes integer not null, part_number integer, part_checksum text,
    primary key (seq, position)
  ) strict, without rowid;
  create table uploads (
    upload_id text primary key, bucket text not null references buckets (name), key text not null,
    started_at_ms integer not null, headers text not null, metadata text not null, tags text not null,
    checksum_algorithm text, checksum_type text
  ) strict;
  create index uploads_of_bucket on uploads (bucket, key, started_at_ms, upload_id);
  create table parts (
    upload_id text not null references uploads (upload_id) on delete cascade, part_number integer not null,
    file text not null, bytes integer not null, etag text not null, last_modified_ms integer not null,
    checksum_algorithm text not null, checksum_value text not null,
    primary key (upload_id, part_number)
  ) strict, without rowid;
  create table completed_uploads (
    upload_id text primary key, bucket text not null, key text not null, version_id text not null,
    etag text not null, completed_at_ms integer not null
  ) strict, without rowid;
`;

/**
 * Opens the index, a SQLite database in WAL mode that is fsynced at each commit.
 * It is locked for as long as it is open, because a second server would take the first one's files for leftovers.
 */
export function openIndex(dataDir: string): DatabaseSync {
  const file = path.join(dataDir, 'index.sqlite');
  const db = new DatabaseSync(file, { timeout: lockWaitMs });
  try {
    db.exec(`
      pragma locking_mode = exclusive;
      pragma journal_mode = wal;
      pragma synchronous = full;
      pragma foreign_keys = on;
      begin exclusive; commit;
    `);
    migrate(db, file);
    return db;
  } catch (error) {
    db.close();
    if (error instanceof Error && error.message.includes('locked')) {
      throw new Error(`${dataDir} is in use by another S3 server`, { cause: error });
    }
    throw error;
  }
}

function migrate(db: DatabaseSync, file: string): void {
  const found = db.prepare('pragma user_version').get()?.['user_version'];
  if (found === schemaVersion) return;
  if (found === 1) {
    // The same but for the rules for pages of other origins.
    db.exec(
      `begin; alter table buckets add column cors text; pragma user_version = ${schemaVersion}; commit;`,
    );
    return;
  }
  if (found !== 0) {
    throw new Error(
      `${file} has schema version ${String(found)}, this server knows ${schemaVersion}`,
    );
  }
  db.exec(`begin; ${schema} pragma user_version = ${schemaVersion}; commit;`);
}
