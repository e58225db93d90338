import type { Store } from '../store/open-store.ts';
import { requireBucket, type Bucket } from '../store/buckets.ts';
import { inTransaction } from '../store/read-row.ts';
import { findVersion, insertVersion, type NewVersion } from '../store/versions.ts';
import { checkWriteCondition, type WriteCondition } from './write-conditions.ts';

interface Commit {
  condition: WriteCondition;
  watched?: { readonly wasDeleted: boolean };
  /** Further writes of the same transaction. */
  also?: (versionId: string) => void;
}

/**
 * Checks the condition and makes a version current, in one transaction that is durable on return.
 * The bucket is looked up again, because it may have changed while the body came in.
 */
export function commitVersion(
  store: Store,
  version: NewVersion,
  commit: Commit,
): { bucket: Bucket; versionId: string; removedFiles: string[] } {
  const { index } = store;
  return inTransaction(index, () => {
    const bucket = requireBucket(index, version.bucket);
    const current = findVersion(index, version.bucket, version.key);
    checkWriteCondition(commit.condition, current, commit.watched);
    const inserted = insertVersion(index, bucket.versioning, version);
    commit.also?.(inserted.versionId);
    return { bucket, ...inserted };
  });
}
