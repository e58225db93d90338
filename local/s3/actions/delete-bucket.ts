import type { Action } from '../http/action.ts';
import { deleteBucket as deleteEmptyBucket } from '../store/buckets.ts';

/** Refused with BucketNotEmpty while any version or delete marker is left. */
export const deleteBucket: Action = async ({ store }, { bucket }) => {
  await store.content.remove(deleteEmptyBucket(store.index, bucket));
  return { status: 204 };
};
