import { createHash } from 'node:crypto';
import { chunkSignatures } from '../auth/chunk-signatures.ts';
import type { VerifiedRequest } from '../auth/verify-request.ts';
import type { RequestHeaders } from '../http/request-headers.ts';
import { S3Error } from '../s3-error.ts';
import { decodeAwsChunked } from './decode-aws-chunked.ts';

/** A request's payload: decoded, and verified against its signature by the time it has been read to its end. */
export interface RequestBody {
  /** The length announced for the payload itself; undefined if none was. */
  readonly bytes: number | undefined;
  /** May be called once. */
  read(): AsyncIterable<Buffer>;
  /** Trailing headers by lower-case name, complete once the body has been read. */
  readonly trailers: ReadonlyMap<string, string>;
}

/** Wraps the raw stream of a verified request. */
export function openBody(
  source: AsyncIterable<Buffer>,
  headers: RequestHeaders,
  verified: VerifiedRequest,
): RequestBody {
  const { payload } = verified;
  const trailers = new Map<string, string>();
  const bytes = announcedBytes(headers, payload.kind === 'aws-chunked');
  if (payload.kind === 'aws-chunked') {
    const decoded = () =>
      decodeAwsChunked(source, {
        signatures: payload.isSigned ? chunkSignatures(verified) : undefined,
        trailerNames: payload.hasTrailer ? announcedTrailers(headers) : [],
        trailers,
      });
    return { bytes, trailers, read: () => verifyLength(decoded(), bytes) };
  }
  const read = () => {
    const counted = verifyLength(source, bytes);
    return payload.kind === 'sha256' ? verifySha256(counted, payload.hex) : counted;
  };
  return { bytes, trailers, read };
}

function announcedBytes(headers: RequestHeaders, isAwsChunked: boolean): number | undefined {
  const name = isAwsChunked ? 'x-amz-decoded-content-length' : 'content-length';
  const text = headers.get(name);
  if (text === undefined) {
    if (isAwsChunked) throw new S3Error('MissingContentLength');
    return undefined;
  }
  if (!/^\d{1,15}$/.test(text)) {
    throw new S3Error('InvalidRequest', { message: `${name} must be a number of bytes.` });
  }
  return Number(text);
}

function announcedTrailers(headers: RequestHeaders): string[] {
  return (headers.get('x-amz-trailer') ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');
}

async function* verifyLength(
  source: AsyncIterable<Buffer>,
  expectedBytes: number | undefined,
): AsyncGenerator<Buffer, void, undefined> {
  let bytes = 0;
  for await (const piece of source) {
    bytes += piece.length;
    if (expectedBytes !== undefined && bytes > expectedBytes) throw new S3Error('IncompleteBody');
    yield piece;
  }
  if (expectedBytes !== undefined && bytes < expectedBytes) throw new S3Error('IncompleteBody');
}

async function* verifySha256(
  source: AsyncIterable<Buffer>,
  expectedHex: string,
): AsyncGenerator<Buffer, void, undefined> {
  const hash = createHash('sha256');
  for await (const piece of source) {
    hash.update(piece);
    yield piece;
  }
  const computed = hash.digest('hex');
  if (computed !== expectedHex) {
    throw new S3Error('XAmzContentSHA256Mismatch', {
      details: { ClientComputedContentSHA256: expectedHex, S3ComputedContentSHA256: computed },
    });
  }
}
