import type { DatabaseSync } from 'node:sqlite';
import { invalidArgument, S3Error } from '../s3-error.ts';
import { requireBucket, type Bucket } from '../store/buckets.ts';
import { findVersion, type ObjectVersion } from '../store/versions.ts';
import { versionHeaders } from './object-headers.ts';

/** S3's limit for a key, in bytes of UTF-8. */
const maxKeyBytes = 1024;

export function requireKeyLength(key: string): void {
  const bytes = Buffer.byteLength(key);
  if (bytes > maxKeyBytes) {
    throw new S3Error('KeyTooLongError', {
      details: { Size: bytes, MaxSizeAllowed: maxKeyBytes },
    });
  }
}

/** A version id as sent; what cannot be one is InvalidArgument. */
export function requireVersionId(versionId: string): string {
  if (versionId === 'null' || /^[A-Za-z0-9_-]{32}$/.test(versionId)) return versionId;
  throw invalidArgument('versionId', versionId, 'Invalid version id specified');
}

/**
 * The version that a read means: NoSuchKey where there is none or a delete marker is current,
 * NoSuchVersion for an unknown id, MethodNotAllowed for a delete marker asked for by its id.
 */
export function requireObject(
  db: DatabaseSync,
  bucketName: string,
  key: string,
  versionIdText: string | undefined,
): { bucket: Bucket; version: ObjectVersion } {
  requireKeyLength(key);
  const bucket = requireBucket(db, bucketName);
  const versionId = versionIdText === undefined ? undefined : requireVersionId(versionIdText);
  const version = findVersion(db, bucketName, key, versionId);
  if (version === undefined) {
    throw versionId === undefined
      ? new S3Error('NoSuchKey', { details: { Key: key } })
      : new S3Error('NoSuchVersion', { details: { Key: key, VersionId: versionId } });
  }
  if (!version.isDeleteMarker) return { bucket, version };
  const marker = { 'x-amz-delete-marker': 'true', ...versionHeaders(bucket, version.versionId) };
  if (versionId === undefined) {
    throw new S3Error('NoSuchKey', { details: { Key: key }, headers: marker });
  }
  throw new S3Error('MethodNotAllowed', {
    details: { Method: 'GET', ResourceType: 'DeleteMarker' },
    headers: {
      ...marker,
      allow: 'DELETE',
      'last-modified': new Date(version.lastModifiedMs).toUTCString(),
    },
  });
}
