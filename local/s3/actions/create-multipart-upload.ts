import {
  crcField,
  type ChecksumAlgorithm,
  type ChecksumType,
} from '../checksums/checksum-algorithms.ts';
import type { Action } from '../http/action.ts';
import type { RequestHeaders } from '../http/request-headers.ts';
import { requireAlgorithm } from '../object/checksum-claim.ts';
import { requireKeyLength } from '../object/find-object.ts';
import { readDescription } from '../object/read-description.ts';
import { S3Error } from '../s3-error.ts';
import { requireBucket } from '../store/buckets.ts';
import { insertUpload } from '../store/uploads.ts';
import { element, textElement, xmlDocument } from '../xml/write-xml.ts';

export const createMultipartUpload: Action = ({ store, clock }, request) => {
  const { bucket, key, headers } = request;
  requireKeyLength(key);
  requireBucket(store.index, bucket);
  const checksum = readUploadChecksum(headers);
  const uploadId = insertUpload(store.index, {
    ...readDescription(headers, request.query),
    bucket,
    key,
    startedAtMs: clock.now(),
    checksum,
  });
  return {
    status: 200,
    headers: checksum
      ? {
          'x-amz-checksum-algorithm': checksum.algorithm,
          'x-amz-checksum-type': checksum.type,
        }
      : {},
    body: xmlDocument(
      element(
        'InitiateMultipartUploadResult',
        textElement('Bucket', bucket),
        textElement('Key', key),
        textElement('UploadId', uploadId),
      ),
    ),
  };
};

/**
 * Only CRCs can be FULL_OBJECT, because part CRCs can be combined; CRC64NVME is never COMPOSITE. The
 * others' default is COMPOSITE (https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity-upload.html).
 */
function readUploadChecksum(
  headers: RequestHeaders,
): { algorithm: ChecksumAlgorithm; type: ChecksumType } | undefined {
  const algorithmName = headers.get('x-amz-checksum-algorithm');
  const typeName = headers.get('x-amz-checksum-type');
  const invalid = (message: string) => new S3Error('InvalidRequest', { message });
  if (typeName !== undefined && typeName !== 'COMPOSITE' && typeName !== 'FULL_OBJECT') {
    throw invalid('Value for x-amz-checksum-type header is invalid.');
  }
  if (algorithmName === undefined) {
    if (typeName === undefined) return undefined;
    throw invalid(
      'The x-amz-checksum-type header can only be used with the x-amz-checksum-algorithm header.',
    );
  }
  const algorithm = requireAlgorithm(algorithmName);
  const type = typeName ?? (algorithm === 'CRC64NVME' ? 'FULL_OBJECT' : 'COMPOSITE');
  const isAllowed =
    type === 'FULL_OBJECT' ? crcField(algorithm) !== undefined : algorithm !== 'CRC64NVME';
  if (isAllowed) return { algorithm, type };
  throw invalid(
    `The ${type} checksum type cannot be used with the ${algorithm.toLowerCase()} checksum algorithm.`,
  );
}
