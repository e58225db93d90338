import type { Action } from '../http/action.ts';
import { S3Error } from '../s3-error.ts';
import { requireBucket } from '../store/buckets.ts';

export const getBucketCors: Action = ({ store }, { bucket }) => {
  const { cors } = requireBucket(store.index, bucket);
  if (cors === undefined) {
    throw new S3Error('NoSuchCORSConfiguration', { details: { BucketName: bucket } });
  }
  return { status: 200, body: cors };
};
