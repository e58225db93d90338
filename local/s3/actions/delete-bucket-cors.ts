import type { Action } from '../http/action.ts';
import { requireBucket, setCors } from '../store/buckets.ts';

export const deleteBucketCors: Action = ({ store }, { bucket }) => {
  requireBucket(store.index, bucket);
  setCors(store.index, bucket, null);
  return { status: 204 };
};
