import { randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import {
  parseChecksumAlgorithm,
  type Checksum,
  type ChecksumAlgorithm,
} from '../checksums/checksum-algorithms.ts';
import type { Versioning } from './buckets.ts';
import {
  integer,
  integerOrUndefined,
  stringMap,
  text,
  textOrUndefined,
  type Row,
} from './read-row.ts';

/** What a client said about an object, kept with it. */
export interface ObjectDescription {
  /** System metadata by response header name, such as `content-type`. */
  headers: Record<string, string>;
  /** User metadata without the `x-amz-meta-` prefix. */
  metadata: Record<string, string>;
  tags: Record<string, string>;
}

/** One version of an object, or a delete marker. */
export interface ObjectVersion extends ObjectDescription {
  seq: number;
  bucket: string;
  key: string;
  /** `null` (the word) for a version written while versioning was off. */
  versionId: string;
  isCurrent: boolean;
  isDeleteMarker: boolean;
  bytes: number;
  /** Without quotes. */
  etag: string;
  lastModifiedMs: number;
  checksum: Checksum | undefined;
}

/** A stretch of an object's bytes: the whole of it, or one part of a multipart upload. */
export interface Segment {
  file: string;
  bytes: number;
  /** Undefined for an object that was not uploaded in parts. */
  partNumber: number | undefined;
  partChecksum: string | undefined;
}

export interface NewVersion extends ObjectDescription {
  bucket: string;
  key: string;
  etag: string;
  lastModifiedMs: number;
  checksum: Checksum | undefined;
  isDeleteMarker: boolean;
  segments: readonly Segment[];
}

/** The named version, or without a name the current one, which may be a delete marker. */
export function findVersion(
  db: DatabaseSync,
  bucket: string,
  key: string,
  versionId?: string,
): ObjectVersion | undefined {
  const row =
    versionId === undefined
      ? db
          .prepare('select * from versions where bucket = ? and key = ? and is_current = 1')
          .get(bucket, key)
      : db
          .prepare('select * from versions where bucket = ? and key = ? and version_id = ?')
          .get(bucket, key, versionId);
  return row === undefined ? undefined : toVersion(row);
}

export function listSegments(db: DatabaseSync, seq: number): Segment[] {
  return db
    .prepare('select * from segments where seq = ? order by position')
    .all(seq)
    .map((row) => ({
      file: text(row, 'file'),
      bytes: integer(row, 'bytes'),
      partNumber: integerOrUndefined(row, 'part_number'),
      partChecksum: textOrUndefined(row, 'part_checksum'),
    }));
}

/**
 * Makes a version current, inside the caller's transaction. Unless versioning is Enabled it takes the
 * place of the `null` version, whose files are returned for removal.
 */
export function insertVersion(
  db: DatabaseSync,
  versioning: Versioning,
  version: NewVersion,
): { versionId: string; removedFiles: string[] } {
  const { bucket, key, checksum } = version;
  const versionId = versioning === 'Enabled' ? randomBytes(24).toString('base64url') : 'null';
  const replaced = versionId === 'null' ? findVersion(db, bucket, key, 'null') : undefined;
  const removedFiles = replaced === undefined ? [] : deleteRow(db, replaced.seq);
  db.prepare(
    'update versions set is_current = 0 where bucket = ? and key = ? and is_current = 1',
  ).run(bucket, key);
  const { lastInsertRowid } = db
    .prepare(`
      insert into versions (
        bucket, key, version_id, is_current, is_delete_marker, bytes, etag, last_modified_ms,
        headers, metadata, tags, checksum_algorithm, checksum_type, checksum_value
      ) values (?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
    .run(
      bucket,
      key,
      versionId,
      Number(version.isDeleteMarker),
      version.segments.reduce((sum, { bytes }) => sum + bytes, 0),
      version.etag,
      version.lastModifiedMs,
      JSON.stringify(version.headers),
      JSON.stringify(version.metadata),
      JSON.stringify(version.tags),
      checksum?.algorithm ?? null,
      checksum?.type ?? null,
      checksum?.value ?? null,
    );
  const insertSegment = db.prepare('insert into segments values (?, ?, ?, ?, ?, ?)');
  for (const [position, { file, bytes, partNumber, partChecksum }] of version.segments.entries()) {
    insertSegment.run(
      lastInsertRowid,
      position,
      file,
      bytes,
      partNumber ?? null,
      partChecksum ?? null,
    );
  }
  return { versionId, removedFiles };
}

/** Removes one version for good, inside the caller's transaction; the newest left becomes current. */
export function removeVersion(db: DatabaseSync, version: ObjectVersion): string[] {
  const files = deleteRow(db, version.seq);
  if (version.isCurrent) {
    db.prepare(`
      update versions set is_current = 1 where seq =
        (select seq from versions where bucket = ? and key = ? order by seq desc limit 1)`).run(
      version.bucket,
      version.key,
    );
  }
  return files;
}

export function setTags(db: DatabaseSync, seq: number, tags: Record<string, string>): void {
  db.prepare('update versions set tags = ? where seq = ?').run(JSON.stringify(tags), seq);
}

export function toVersion(row: Row): ObjectVersion {
  return {
    seq: integer(row, 'seq'),
    bucket: text(row, 'bucket'),
    key: text(row, 'key'),
    versionId: text(row, 'version_id'),
    isCurrent: integer(row, 'is_current') === 1,
    isDeleteMarker: integer(row, 'is_delete_marker') === 1,
    bytes: integer(row, 'bytes'),
    etag: text(row, 'etag'),
    lastModifiedMs: integer(row, 'last_modified_ms'),
    headers: stringMap(row, 'headers'),
    metadata: stringMap(row, 'metadata'),
    tags: stringMap(row, 'tags'),
    checksum: toChecksum(row),
  };
}

function toChecksum(row: Row): Checksum | undefined {
  const name = textOrUndefined(row, 'checksum_algorithm');
  if (name === undefined) return undefined;
  return {
    algorithm: storedAlgorithm(name),
    type: text(row, 'checksum_type') === 'COMPOSITE' ? 'COMPOSITE' : 'FULL_OBJECT',
    value: text(row, 'checksum_value'),
  };
}

/** An algorithm's name as the index holds it. */
export function storedAlgorithm(name: string): ChecksumAlgorithm {
  const algorithm = parseChecksumAlgorithm(name);
  if (algorithm === undefined) throw new TypeError(`index holds the unknown checksum ${name}`);
  return algorithm;
}

function deleteRow(db: DatabaseSync, seq: number): string[] {
  const files = listSegments(db, seq).map(({ file }) => file);
  db.prepare('delete from versions where seq = ?').run(seq);
  return files;
}
