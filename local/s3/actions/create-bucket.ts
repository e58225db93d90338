import { readBodyText } from '../body/read-xml-body.ts';
import type { Action } from '../http/action.ts';
import { S3Error } from '../s3-error.ts';
import { findBucket, insertBucket } from '../store/buckets.ts';
import { childText, readXmlRoot } from '../xml/read-xml.ts';

/** Creating one's own bucket again is a success in us-east-1 and BucketAlreadyOwnedByYou elsewhere, as on AWS. */
export const createBucket: Action = async ({ store, region, clock }, request) => {
  requireBucketName(request.bucket);
  const body = await readBodyText(request);
  const constraint =
    body === ''
      ? undefined
      : childText(readXmlRoot(body, 'CreateBucketConfiguration'), 'LocationConstraint');
  if ((constraint ?? 'us-east-1') !== region) {
    throw new S3Error('IllegalLocationConstraintException', {
      message: `The ${constraint ?? 'unspecified'} location constraint is incompatible for the region specific endpoint this request was sent to (${region}).`,
    });
  }
  if (findBucket(store.index, request.bucket) === undefined) {
    insertBucket(store.index, request.bucket, clock.now());
  } else if (region !== 'us-east-1') {
    throw new S3Error('BucketAlreadyOwnedByYou', { details: { BucketName: request.bucket } });
  }
  return { status: 200, headers: { location: `/${request.bucket}` } };
};

/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html */
function requireBucketName(name: string): void {
  const isValid =
    /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name) &&
    !name.includes('..') &&
    !/^\d+\.\d+\.\d+\.\d+$/.test(name) &&
    !/^(?:xn--|sthree-|amzn-s3-demo-)|(?:-s3alias|--ol-s3|\.mrap|--x-s3|--table-s3)$/.test(name);
  if (!isValid) throw new S3Error('InvalidBucketName', { details: { BucketName: name } });
}
