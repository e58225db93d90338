import type { ChecksumAlgorithm } from '../checksums/checksum-algorithms.ts';
import type { ActionRequest } from '../http/action.ts';
import type { RequestHeaders } from '../http/request-headers.ts';
import { S3Error } from '../s3-error.ts';
import type { ContentFiles } from '../store/content-files.ts';
import { verifyChecksum, type ChecksumClaim } from './checksum-claim.ts';
import { keepContent } from './keep-content.ts';
import { receiveContent } from './receive-content.ts';

/** S3's limit for one PUT or part: 5 GiB. */
export const maxPutBytes = 5 * 1024 ** 3;

/** A request's payload on disk and checked against all that the client said of it. */
export interface Payload {
  bytes: number;
  md5: Buffer;
  checksum: { algorithm: ChecksumAlgorithm; value: string };
}

/**
 * Receives the payload of PutObject or UploadPart, verifies Content-MD5 and the claimed checksum, and
 * hands the durable file to `commit`, which puts it into the index.
 */
export async function receivePayload<Result extends { removedFiles: readonly string[] }>(
  content: ContentFiles,
  request: ActionRequest,
  checksums: { claim: ChecksumClaim | undefined; stored: ChecksumAlgorithm },
  commit: (file: string, payload: Payload) => Result,
): Promise<Result> {
  const { body, headers } = request;
  if (body.bytes === undefined) throw new S3Error('MissingContentLength');
  if (body.bytes > maxPutBytes) {
    throw new S3Error('EntityTooLarge', {
      details: { ProposedSize: body.bytes, MaxSizeAllowed: maxPutBytes },
    });
  }
  const { claim, stored } = checksums;
  const claimedMd5 = readContentMd5(headers);
  const algorithms = new Set([stored, ...(claim === undefined ? [] : [claim.algorithm])]);
  const received = await receiveContent(content, body.read(), [...algorithms]);
  try {
    if (claimedMd5 !== undefined && !claimedMd5.equals(received.md5)) {
      throw new S3Error('BadDigest', {
        details: {
          ExpectedDigest: claimedMd5.toString('base64'),
          CalculatedDigest: received.md5.toString('base64'),
        },
      });
    }
    if (claim !== undefined) {
      verifyChecksum(claim, received.checksums.get(claim.algorithm) ?? '', body.trailers);
    }
  } catch (error) {
    await received.incoming.discard();
    throw error;
  }
  const checksum = { algorithm: stored, value: received.checksums.get(stored) ?? '' };
  const payload = { bytes: received.bytes, md5: received.md5, checksum };
  return keepContent(content, received, (file) => commit(file, payload));
}

/** The digest of a Content-MD5 header; InvalidDigest unless it is base64 of 16 bytes. */
export function readContentMd5(headers: RequestHeaders): Buffer | undefined {
  const text = headers.get('content-md5');
  if (text === undefined) return undefined;
  const digest = Buffer.from(text, 'base64');
  if (digest.length !== 16 || digest.toString('base64') !== text) {
    throw new S3Error('InvalidDigest', { details: { 'Content-MD5': text } });
  }
  return digest;
}
