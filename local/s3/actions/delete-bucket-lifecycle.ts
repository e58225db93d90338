import type { Action } from '../http/action.ts';
import { requireBucket, setLifecycle } from '../store/buckets.ts';

export const deleteBucketLifecycle: Action = ({ store }, { bucket }) => {
  requireBucket(store.index, bucket);
  setLifecycle(store.index, bucket, null);
  return { status: 204 };
};
