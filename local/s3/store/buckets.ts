import type { DatabaseSync } from 'node:sqlite';
import { S3Error } from '../s3-error.ts';
import { inTransaction, integer, text, textOrUndefined, type Row } from './read-row.ts';

export type Versioning = 'Unversioned' | 'Enabled' | 'Suspended';

export interface Bucket {
  name: string;
  createdAtMs: number;
  versioning: Versioning;
  /** The lifecycle configuration's document as it was put. */
  lifecycle: string | undefined;
  /** The CORS configuration's document as it was put. */
  cors: string | undefined;
}

export function findBucket(db: DatabaseSync, name: string): Bucket | undefined {
  const row = db.prepare('select * from buckets where name = ?').get(name);
  return row === undefined ? undefined : toBucket(row);
}

/** The bucket, or NoSuchBucket. */
export function requireBucket(db: DatabaseSync, name: string): Bucket {
  const bucket = findBucket(db, name);
  if (bucket === undefined) throw new S3Error('NoSuchBucket', { details: { BucketName: name } });
  return bucket;
}

export function listBuckets(db: DatabaseSync): Bucket[] {
  return db.prepare('select * from buckets order by name').all().map(toBucket);
}

export function insertBucket(db: DatabaseSync, name: string, createdAtMs: number): void {
  db.prepare('insert into buckets (name, created_at_ms) values (?, ?)').run(name, createdAtMs);
}

/** Deletes a bucket that holds no version; its unfinished uploads go with it, and their files are returned. */
export function deleteBucket(db: DatabaseSync, name: string): string[] {
  return inTransaction(db, () => {
    requireBucket(db, name);
    const occupant = db.prepare('select 1 from versions where bucket = ? limit 1').get(name);
    if (occupant !== undefined) {
      throw new S3Error('BucketNotEmpty', { details: { BucketName: name } });
    }
    const files = db
      .prepare('select file from parts join uploads using (upload_id) where bucket = ?')
      .all(name)
      .map((row) => text(row, 'file'));
    db.prepare('delete from uploads where bucket = ?').run(name);
    db.prepare('delete from completed_uploads where bucket = ?').run(name);
    db.prepare('delete from buckets where name = ?').run(name);
    return files;
  });
}

export function setVersioning(
  db: DatabaseSync,
  name: string,
  versioning: Exclude<Versioning, 'Unversioned'>,
): void {
  db.prepare('update buckets set versioning = ? where name = ?').run(versioning, name);
}

export function setLifecycle(db: DatabaseSync, name: string, lifecycle: string | null): void {
  db.prepare('update buckets set lifecycle = ? where name = ?').run(lifecycle, name);
}

export function setCors(db: DatabaseSync, name: string, cors: string | null): void {
  db.prepare('update buckets set cors = ? where name = ?').run(cors, name);
}

function toBucket(row: Row): Bucket {
  return {
    name: text(row, 'name'),
    createdAtMs: integer(row, 'created_at_ms'),
    versioning: parseVersioning(text(row, 'versioning')),
    lifecycle: textOrUndefined(row, 'lifecycle'),
    cors: textOrUndefined(row, 'cors'),
  };
}

function parseVersioning(value: string): Versioning {
  if (value === 'Enabled' || value === 'Suspended' || value === 'Unversioned') return value;
  throw new TypeError(`index holds the unknown versioning state ${value}`);
}
