import type { Action } from '../http/action.ts';
import { requireBucket } from '../store/buckets.ts';
import { inTransaction } from '../store/read-row.ts';
import { deleteUpload, listParts, requireUpload } from '../store/uploads.ts';

export const abortMultipartUpload: Action = async ({ store }, { bucket, key, query }) => {
  const uploadId = query.get('uploadId') ?? '';
  const files = inTransaction(store.index, () => {
    requireBucket(store.index, bucket);
    requireUpload(store.index, bucket, key, uploadId);
    const parts = listParts(store.index, uploadId);
    deleteUpload(store.index, uploadId);
    return parts.map(({ file }) => file);
  });
  await store.content.remove(files);
  return { status: 204 };
};
