import { S3Error } from '../s3-error.ts';
import { hmacHex, scopeText, sha256Hex } from './canonical-request.ts';
import { equalsInConstantTime, type VerifiedRequest } from './verify-request.ts';

/** Verifies the chain of signatures inside a signed aws-chunked body, each built on the one before. */
export interface ChunkSignatures {
  verifyChunk(sha256OfData: string, signature: string | undefined): void;
  /** `trailer` is one `name:value\n` line for each trailing header. */
  verifyTrailer(trailer: string, signature: string | undefined): void;
}

/** Starts the chain at the request's own signature (https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html). */
export function chunkSignatures(verified: VerifiedRequest): ChunkSignatures {
  let previous = verified.seedSignature;
  const verify = (lines: string[], given: string | undefined) => {
    const [algorithm = '', ...digests] = lines;
    const toSign = [algorithm, verified.amzDate, scopeText(verified.scope), previous, ...digests];
    const expected = hmacHex(verified.signingKey, toSign.join('\n'));
    if (given === undefined || !equalsInConstantTime(expected, given)) {
      throw new S3Error('SignatureDoesNotMatch');
    }
    previous = expected;
  };
  return {
    verifyChunk: (sha256OfData, signature) =>
      verify(['AWS4-HMAC-SHA256-PAYLOAD', sha256Hex(''), sha256OfData], signature),
    verifyTrailer: (trailer, signature) =>
      verify(['AWS4-HMAC-SHA256-TRAILER', sha256Hex(trailer)], signature),
  };
}
