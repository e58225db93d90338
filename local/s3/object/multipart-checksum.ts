import { createHash } from 'node:crypto';
import {
  createChecksum,
  crcField,
  type Checksum,
  type ChecksumAlgorithm,
  type ChecksumType,
} from '../checksums/checksum-algorithms.ts';
import { combineCrcs } from '../checksums/combine-crc.ts';
import type { RequestHeaders } from '../http/request-headers.ts';
import { S3Error } from '../s3-error.ts';
import type { Part, Upload } from '../store/uploads.ts';
import { checksumMismatch, readChecksumClaim } from './checksum-claim.ts';

/** A multipart object's ETag: an MD5 over the parts' MD5s, and their number. */
export function multipartEtag(parts: readonly Part[]): string {
  const hash = createHash('md5');
  for (const { etag } of parts) hash.update(Buffer.from(etag, 'hex'));
  return `${hash.digest('hex')}-${parts.length}`;
}

/**
 * A multipart object's checksum from its parts' (the bytes are not read again), held against what
 * CompleteMultipartUpload claims. If CreateMultipartUpload named no algorithm, S3 accepts a claimed
 * CRC32, CRC32C, SHA1 or SHA256 and neither checks nor keeps it, and refuses the newer algorithms.
 */
export function multipartChecksum(
  upload: Upload,
  parts: readonly Part[],
  headers: RequestHeaders,
): Checksum {
  const { algorithm, type } = upload.checksum ?? { algorithm: 'CRC64NVME', type: 'FULL_OBJECT' };
  const checksum = { algorithm, type, value: combine(algorithm, type, parts) };
  const claimedType = headers.get('x-amz-checksum-type');
  if (claimedType !== undefined && claimedType !== type) {
    throw new S3Error('InvalidRequest', {
      message: `The upload was created using the ${type} checksum mode. The complete request must use the same checksum mode.`,
    });
  }
  const claim = readChecksumClaim(headers);
  if (claim === undefined || !('header' in claim.value)) return checksum;
  if (upload.checksum === undefined) {
    if (claim.algorithm === 'SHA512' || claim.algorithm === 'MD5') {
      throw typeMismatch('null', claim.algorithm);
    }
    return checksum;
  }
  if (claim.algorithm !== algorithm) throw typeMismatch(algorithm.toLowerCase(), claim.algorithm);
  const [claimedDigest] = claim.value.header.split('-');
  const [digest] = checksum.value.split('-');
  if (claimedDigest !== digest) throw checksumMismatch(algorithm);
  return checksum;
}

function combine(algorithm: ChecksumAlgorithm, type: ChecksumType, parts: readonly Part[]): string {
  const digests = parts.map(({ checksum }) => Buffer.from(checksum.value, 'base64'));
  const field = type === 'FULL_OBJECT' ? crcField(algorithm) : undefined;
  if (field !== undefined) {
    const pieces = parts.map(({ bytes }, at) => ({
      bytes,
      digest: digests[at] ?? Buffer.alloc(0),
    }));
    return combineCrcs(field, pieces).toString('base64');
  }
  requireConsecutive(parts);
  const ofDigests = createChecksum(algorithm);
  for (const digest of digests) ofDigests.update(digest);
  return `${ofDigests.digest().toString('base64')}-${parts.length}`;
}

/** S3 answers 500 to a composite upload whose parts are not numbered 1, 2, 3, …; so does this, with the reason. */
function requireConsecutive(parts: readonly Part[]): void {
  if (parts.every(({ partNumber }, at) => partNumber === at + 1)) return;
  throw new S3Error('InternalError', {
    message: 'With a COMPOSITE checksum the parts must be numbered consecutively from 1.',
  });
}

function typeMismatch(expected: string, actual: ChecksumAlgorithm): S3Error {
  return new S3Error('InvalidRequest', {
    message: `Checksum Type mismatch occurred, expected checksum Type: ${expected}, actual checksum Type: ${actual.toLowerCase()}`,
  });
}
