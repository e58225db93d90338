import { abortMultipartUpload } from '../actions/abort-multipart-upload.ts';
import { completeMultipartUpload } from '../actions/complete-multipart-upload.ts';
import { copyObject } from '../actions/copy-object.ts';
import { createBucket } from '../actions/create-bucket.ts';
import { createMultipartUpload } from '../actions/create-multipart-upload.ts';
import { deleteBucketCors } from '../actions/delete-bucket-cors.ts';
import { deleteBucketLifecycle } from '../actions/delete-bucket-lifecycle.ts';
import { deleteBucket } from '../actions/delete-bucket.ts';
import { deleteObjectTagging } from '../actions/delete-object-tagging.ts';
import { deleteObject } from '../actions/delete-object.ts';
import { deleteObjects } from '../actions/delete-objects.ts';
import { getBucketCors } from '../actions/get-bucket-cors.ts';
import { getBucketLifecycleConfiguration } from '../actions/get-bucket-lifecycle-configuration.ts';
import { getBucketLocation } from '../actions/get-bucket-location.ts';
import { getBucketVersioning } from '../actions/get-bucket-versioning.ts';
import { getObjectAttributes } from '../actions/get-object-attributes.ts';
import { getObjectTagging } from '../actions/get-object-tagging.ts';
import { getObject } from '../actions/get-object.ts';
import { headBucket } from '../actions/head-bucket.ts';
import { headObject } from '../actions/head-object.ts';
import { listBuckets } from '../actions/list-buckets.ts';
import { listMultipartUploads } from '../actions/list-multipart-uploads.ts';
import { listObjectVersions } from '../actions/list-object-versions.ts';
import { listObjectsV2 } from '../actions/list-objects-v2.ts';
import { listParts } from '../actions/list-parts.ts';
import { putBucketCors } from '../actions/put-bucket-cors.ts';
import { putBucketLifecycleConfiguration } from '../actions/put-bucket-lifecycle-configuration.ts';
import { putBucketVersioning } from '../actions/put-bucket-versioning.ts';
import { putObjectTagging } from '../actions/put-object-tagging.ts';
import { putObject } from '../actions/put-object.ts';
import { uploadPartCopy } from '../actions/upload-part-copy.ts';
import { uploadPart } from '../actions/upload-part.ts';
import { S3Error } from '../s3-error.ts';
import type { Action } from './action.ts';
import type { Target } from './parse-target.ts';
import type { RequestHeaders } from './request-headers.ts';

/**
 * Actions by method, level and sub-resource. The sub-resource is the query parameter that picks the
 * action, with `+copy` where `x-amz-copy-source` makes it a copy.
 */
const routes: Record<string, Action> = {
  'GET service': listBuckets,
  'PUT bucket': createBucket,
  'HEAD bucket': headBucket,
  'DELETE bucket': deleteBucket,
  'GET bucket list-type': listObjectsV2,
  'GET bucket versions': listObjectVersions,
  'GET bucket uploads': listMultipartUploads,
  'GET bucket location': getBucketLocation,
  'GET bucket versioning': getBucketVersioning,
  'PUT bucket versioning': putBucketVersioning,
  'GET bucket lifecycle': getBucketLifecycleConfiguration,
  'PUT bucket lifecycle': putBucketLifecycleConfiguration,
  'DELETE bucket lifecycle': deleteBucketLifecycle,
  'GET bucket cors': getBucketCors,
  'PUT bucket cors': putBucketCors,
  'DELETE bucket cors': deleteBucketCors,
  'POST bucket delete': deleteObjects,
  'PUT object': putObject,
  'PUT object +copy': copyObject,
  'GET object': getObject,
  'HEAD object': headObject,
  'DELETE object': deleteObject,
  'GET object attributes': getObjectAttributes,
  'GET object tagging': getObjectTagging,
  'PUT object tagging': putObjectTagging,
  'DELETE object tagging': deleteObjectTagging,
  'POST object uploads': createMultipartUpload,
  'PUT object uploadId': uploadPart,
  'PUT object uploadId +copy': uploadPartCopy,
  'POST object uploadId': completeMultipartUpload,
  'GET object uploadId': listParts,
  'DELETE object uploadId': abortMultipartUpload,
};

/** Every sub-resource of S3's that picks an action, also those not implemented here: ignoring one would do something else. */
const subResources = new Set(
  'abac accelerate acl analytics attributes cors delete encryption inventory intelligent-tiering legal-hold lifecycle list-type location logging metadataConfiguration metadataInventoryTable metadataJournalTable metadataTable metrics notification object-lock ownershipControls policy policyStatus publicAccessBlock renameObject replication requestPayment restore retention select session tagging torrent uploadId uploads versioning versions website'.split(
    ' ',
  ),
);

/** The action a request asks for; what S3 has and this server has not is NotImplemented. */
export function route(method: string, target: Target, headers: RequestHeaders): Action {
  const level =
    target.bucket === undefined ? 'service' : target.key === undefined ? 'bucket' : 'object';
  const subResource = target.queryPairs
    .map(([name]) => name)
    .find((name) => subResources.has(name));
  const isCopy = method === 'PUT' && level === 'object' && headers.has('x-amz-copy-source');
  const name = [method, level, subResource, isCopy ? '+copy' : undefined]
    .filter((part) => part !== undefined)
    .join(' ');
  const action = routes[name];
  if (action !== undefined) return action;
  if (!['GET', 'HEAD', 'PUT', 'POST', 'DELETE'].includes(method)) {
    throw new S3Error('MethodNotAllowed', { details: { Method: method } });
  }
  throw new S3Error('NotImplemented', { message: `This server does not implement: ${name}` });
}
