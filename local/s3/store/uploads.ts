import { randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { ChecksumAlgorithm, ChecksumType } from '../checksums/checksum-algorithms.ts';
import { S3Error } from '../s3-error.ts';
import { integer, stringMap, text, textOrUndefined, type Row } from './read-row.ts';
import { storedAlgorithm, type ObjectDescription } from './versions.ts';

/** A multipart upload that is neither completed nor aborted. */
export interface Upload extends ObjectDescription {
  uploadId: string;
  bucket: string;
  key: string;
  startedAtMs: number;
  /** Undefined if CreateMultipartUpload named no algorithm. */
  checksum: { algorithm: ChecksumAlgorithm; type: ChecksumType } | undefined;
}

export interface Part {
  partNumber: number;
  file: string;
  bytes: number;
  etag: string;
  lastModifiedMs: number;
  checksum: { algorithm: ChecksumAlgorithm; value: string };
}

/** An upload that was completed, remembered so that a repeated Complete gets the same answer. */
export interface CompletedUpload {
  versionId: string;
  etag: string;
}

export function insertUpload(db: DatabaseSync, upload: Omit<Upload, 'uploadId'>): string {
  const uploadId = randomBytes(48).toString('base64url');
  db.prepare('insert into uploads values (?, ?, ?, ?, ?, ?, ?, ?, ?)').run(
    uploadId,
    upload.bucket,
    upload.key,
    upload.startedAtMs,
    JSON.stringify(upload.headers),
    JSON.stringify(upload.metadata),
    JSON.stringify(upload.tags),
    upload.checksum?.algorithm ?? null,
    upload.checksum?.type ?? null,
  );
  return uploadId;
}

/** The upload of that id to that key, or NoSuchUpload. */
export function requireUpload(
  db: DatabaseSync,
  bucket: string,
  key: string,
  uploadId: string,
): Upload {
  const row = db
    .prepare('select * from uploads where upload_id = ? and bucket = ? and key = ?')
    .get(uploadId, bucket, key);
  if (row === undefined) throw new S3Error('NoSuchUpload', { details: { UploadId: uploadId } });
  return toUpload(row);
}

/** The unfinished uploads to keys with that prefix that were started before then. */
export function findUploadsBefore(
  db: DatabaseSync,
  bucket: string,
  prefix: string,
  beforeMs: number,
): string[] {
  return db
    .prepare(
      'select upload_id from uploads where bucket = ?1 and substr(key, 1, length(?2)) = ?2 and started_at_ms < ?3',
    )
    .all(bucket, prefix, beforeMs)
    .map((row) => text(row, 'upload_id'));
}

export function listParts(db: DatabaseSync, uploadId: string): Part[] {
  return db
    .prepare('select * from parts where upload_id = ? order by part_number')
    .all(uploadId)
    .map(toPart);
}

/** Stores a part in place of an earlier one of its number, whose file is returned for removal. */
export function putPart(db: DatabaseSync, uploadId: string, part: Part): string[] {
  const replaced = db
    .prepare('select file from parts where upload_id = ? and part_number = ?')
    .all(uploadId, part.partNumber)
    .map((row) => text(row, 'file'));
  db.prepare('insert or replace into parts values (?, ?, ?, ?, ?, ?, ?, ?)').run(
    uploadId,
    part.partNumber,
    part.file,
    part.bytes,
    part.etag,
    part.lastModifiedMs,
    part.checksum.algorithm,
    part.checksum.value,
  );
  return replaced;
}

/** Removes an upload and its parts from the index, inside the caller's transaction. */
export function deleteUpload(db: DatabaseSync, uploadId: string): void {
  db.prepare('delete from uploads where upload_id = ?').run(uploadId);
}

export function findCompleted(
  db: DatabaseSync,
  bucket: string,
  key: string,
  uploadId: string,
): CompletedUpload | undefined {
  const row = db
    .prepare('select * from completed_uploads where upload_id = ? and bucket = ? and key = ?')
    .get(uploadId, bucket, key);
  if (row === undefined) return undefined;
  return { versionId: text(row, 'version_id'), etag: text(row, 'etag') };
}

/** Remembers a completion for a day. */
export function insertCompleted(
  db: DatabaseSync,
  upload: Upload,
  completed: CompletedUpload,
  nowMs: number,
): void {
  const dayMs = 24 * 60 * 60 * 1000;
  db.prepare('delete from completed_uploads where completed_at_ms < ?').run(nowMs - dayMs);
  db.prepare('insert into completed_uploads values (?, ?, ?, ?, ?, ?)').run(
    upload.uploadId,
    upload.bucket,
    upload.key,
    completed.versionId,
    completed.etag,
    nowMs,
  );
}

export function toUpload(row: Row): Upload {
  const algorithm = textOrUndefined(row, 'checksum_algorithm');
  const type = textOrUndefined(row, 'checksum_type') === 'COMPOSITE' ? 'COMPOSITE' : 'FULL_OBJECT';
  return {
    uploadId: text(row, 'upload_id'),
    bucket: text(row, 'bucket'),
    key: text(row, 'key'),
    startedAtMs: integer(row, 'started_at_ms'),
    headers: stringMap(row, 'headers'),
    metadata: stringMap(row, 'metadata'),
    tags: stringMap(row, 'tags'),
    checksum: algorithm === undefined ? undefined : { algorithm: storedAlgorithm(algorithm), type },
  };
}

function toPart(row: Row): Part {
  return {
    partNumber: integer(row, 'part_number'),
    file: text(row, 'file'),
    bytes: integer(row, 'bytes'),
    etag: text(row, 'etag'),
    lastModifiedMs: integer(row, 'last_modified_ms'),
    checksum: {
      algorithm: storedAlgorithm(text(row, 'checksum_algorithm')),
      value: text(row, 'checksum_value'),
    },
  };
}
