import type { Action } from '../http/action.ts';
import { readChecksumClaim, type ChecksumClaim } from '../object/checksum-claim.ts';
import { parsePartNumber } from '../object/part-number.ts';
import { receivePayload } from '../object/receive-payload.ts';
import { S3Error } from '../s3-error.ts';
import { requireBucket } from '../store/buckets.ts';
import { inTransaction } from '../store/read-row.ts';
import { putPart, requireUpload, type Upload } from '../store/uploads.ts';

/**
 * Stores a part. An upload that named no algorithm takes a part's checksum of any kind for the transfer
 * and keeps a CRC64NVME; one that did takes only its own, and if COMPOSITE needs it.
 */
export const uploadPart: Action = async ({ store, clock }, request) => {
  const { bucket, key, query, headers } = request;
  requireBucket(store.index, bucket);
  const uploadId = query.get('uploadId') ?? '';
  const partNumber = parsePartNumber(query.get('partNumber') ?? '');
  const upload = requireUpload(store.index, bucket, key, uploadId);
  const claim = readChecksumClaim(headers);
  requireMatchingClaim(upload, claim);
  const stored = upload.checksum?.algorithm ?? 'CRC64NVME';
  const result = await receivePayload(
    store.content,
    request,
    { claim, stored },
    (file, payload) => {
      const { bytes, checksum } = payload;
      const etag = payload.md5.toString('hex');
      const part = { partNumber, file, bytes, etag, checksum, lastModifiedMs: clock.now() };
      const removedFiles = inTransaction(store.index, () => {
        requireUpload(store.index, bucket, key, uploadId);
        return putPart(store.index, uploadId, part);
      });
      return { etag, checksum, removedFiles };
    },
  );
  const { checksum, etag } = result;
  return {
    status: 200,
    headers: {
      etag: `"${etag}"`,
      ...(upload.checksum === undefined
        ? {}
        : { [`x-amz-checksum-${checksum.algorithm.toLowerCase()}`]: checksum.value }),
    },
  };
};

function requireMatchingClaim({ checksum }: Upload, claim: ChecksumClaim | undefined): void {
  if (checksum === undefined || checksum.algorithm === claim?.algorithm) return;
  if (claim === undefined && checksum.type === 'FULL_OBJECT') return;
  const expected = checksum.algorithm.toLowerCase();
  const actual = claim?.algorithm.toLowerCase() ?? 'null';
  throw new S3Error('InvalidRequest', {
    message: `Checksum Type mismatch occurred, expected checksum Type: ${expected}, actual checksum Type: ${actual}`,
  });
}
