import type { Action } from '../http/action.ts';
import { requireBucket } from '../store/buckets.ts';

export const headBucket: Action = ({ store, region }, { bucket }) => {
  requireBucket(store.index, bucket);
  return { status: 200, headers: { 'x-amz-bucket-region': region } };
};
