import type { Action } from '../http/action.ts';
import { S3Error } from '../s3-error.ts';
import { requireBucket } from '../store/buckets.ts';

export const getBucketLifecycleConfiguration: Action = ({ store }, { bucket }) => {
  const { lifecycle } = requireBucket(store.index, bucket);
  if (lifecycle === undefined) {
    throw new S3Error('NoSuchLifecycleConfiguration', { details: { BucketName: bucket } });
  }
  return { status: 200, body: lifecycle };
};
