import { S3Error } from '../s3-error.ts';
import { requireBucket } from '../store/buckets.ts';
import type { Store } from '../store/open-store.ts';
import { inTransaction } from '../store/read-row.ts';
import { findVersion, insertVersion, removeVersion } from '../store/versions.ts';
import { requireKeyLength, requireVersionId } from './find-object.ts';
import { etagMatches, preconditionFailed } from './write-conditions.ts';

interface Deletion {
  bucket: string;
  key: string;
  versionId: string | undefined;
  /** Holds against the current version only, as S3 says of conditional deletes. */
  ifMatch: string | undefined;
  nowMs: number;
}

export interface DeletionOutcome {
  /** The version removed for good, or that of the delete marker put in its place. */
  versionId: string | undefined;
  isDeleteMarker: boolean;
  removedFiles: string[];
}

/**
 * Deletes as S3 does: a named version goes for good; without a name the current version gets a delete
 * marker where the bucket has versioning, and goes for good where it has not. What is not there is a success.
 */
export function deleteObjectVersion(store: Store, deletion: Deletion): DeletionOutcome {
  const { index } = store;
  const { bucket: bucketName, key } = deletion;
  requireKeyLength(key);
  const versionId =
    deletion.versionId === undefined ? undefined : requireVersionId(deletion.versionId);
  const outcome = inTransaction(index, (): DeletionOutcome => {
    const bucket = requireBucket(index, bucketName);
    checkIfMatch(store, deletion);
    if (versionId !== undefined || bucket.versioning === 'Unversioned') {
      const version = findVersion(index, bucketName, key, versionId);
      const removedFiles = version === undefined ? [] : removeVersion(index, version);
      return { versionId, isDeleteMarker: version?.isDeleteMarker ?? false, removedFiles };
    }
    const marker = insertVersion(index, bucket.versioning, {
      bucket: bucketName,
      key,
      etag: '',
      lastModifiedMs: deletion.nowMs,
      headers: {},
      metadata: {},
      tags: {},
      checksum: undefined,
      isDeleteMarker: true,
      segments: [],
    });
    return { ...marker, isDeleteMarker: true };
  });
  store.deletions.deleted(bucketName, key);
  return outcome;
}

function checkIfMatch({ index }: Store, { bucket, key, ifMatch }: Deletion): void {
  if (ifMatch === undefined) return;
  const current = findVersion(index, bucket, key);
  if (current === undefined || current.isDeleteMarker) {
    throw new S3Error('NoSuchKey', { details: { Key: key } });
  }
  if (!etagMatches(ifMatch, current.etag)) throw preconditionFailed('If-Match');
}
