import { timingSafeEqual } from 'node:crypto';
import type { Target } from '../http/parse-target.ts';
import type { RequestHeaders } from '../http/request-headers.ts';
import { S3Error } from '../s3-error.ts';
import {
  canonicalRequest,
  hmacHex,
  signingKey,
  stringToSign,
  type CredentialScope,
} from './canonical-request.ts';
import { parseAuthorization, type Authorization } from './parse-authorization.ts';
import { parsePayloadMode, type PayloadMode } from './payload-mode.ts';

/** An access key pair that may sign requests. */
export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

export interface Verifier {
  credentials: readonly Credentials[];
  region: string;
  clock: { now(): number };
}

/** A request whose signature holds: how its payload is protected, and what chunk signatures go on from. */
export interface VerifiedRequest {
  accessKeyId: string;
  payload: PayloadMode;
  signingKey: Buffer | string;
  seedSignature: string;
  amzDate: string;
  scope: CredentialScope;
}

const maxSkewMs = 15 * 60 * 1000;

/** Verifies header authentication or a presigned URL; everything that is wrong is an S3Error. */
export function verifyRequest(
  verifier: Verifier,
  request: { method: string; target: Target; headers: RequestHeaders },
): VerifiedRequest {
  const { headers, target } = request;
  const query = new Map(target.queryPairs);
  const claim = parseAuthorization(headers, query);
  const credentials = findCredentials(verifier.credentials, claim);
  checkScope(claim, verifier.region);
  checkTime(claim, verifier.clock.now());
  checkSignedHeaders(claim, headers);
  const hash = payloadHash(claim, headers, query);
  const canonical = canonicalRequest({
    method: request.method,
    path: target.path,
    queryPairs: target.queryPairs.filter(([name]) => name !== 'X-Amz-Signature'),
    headers,
    signedHeaders: claim.signedHeaders,
    payloadHash: hash,
  });
  const key = signingKey(credentials.secretAccessKey, claim.scope);
  const toSign = stringToSign(claim.amzDate, claim.scope, canonical);
  if (!equalsInConstantTime(hmacHex(key, toSign), claim.signature)) {
    throw new S3Error('SignatureDoesNotMatch', {
      details: {
        AWSAccessKeyId: claim.accessKeyId,
        StringToSign: toSign,
        SignatureProvided: claim.signature,
        CanonicalRequest: canonical,
      },
    });
  }
  return {
    accessKeyId: claim.accessKeyId,
    payload: parsePayloadMode(hash),
    signingKey: key,
    seedSignature: claim.signature,
    amzDate: claim.amzDate,
    scope: claim.scope,
  };
}

export function equalsInConstantTime(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function findCredentials(known: readonly Credentials[], claim: Authorization): Credentials {
  const credentials = known.find(({ accessKeyId }) => accessKeyId === claim.accessKeyId);
  if (credentials === undefined) {
    throw new S3Error('InvalidAccessKeyId', { details: { AWSAccessKeyId: claim.accessKeyId } });
  }
  if (claim.sessionToken !== credentials.sessionToken) throw new S3Error('InvalidToken');
  return credentials;
}

function checkScope(claim: Authorization, region: string): void {
  const { scope } = claim;
  if (scope.region === region && scope.service === 's3') return;
  const code =
    claim.expiresSeconds === undefined
      ? 'AuthorizationHeaderMalformed'
      : 'AuthorizationQueryParametersError';
  const message =
    scope.service === 's3'
      ? `The region '${scope.region}' is wrong; expecting '${region}'`
      : `The service '${scope.service}' is wrong; expecting 's3'`;
  throw new S3Error(code, { message, details: { Region: region } });
}

function checkTime(claim: Authorization, nowMs: number): void {
  const serverTime = new Date(nowMs).toISOString();
  const skewMs = nowMs - claim.signedAtMs;
  if (claim.expiresSeconds === undefined) {
    if (Math.abs(skewMs) <= maxSkewMs) return;
    throw new S3Error('RequestTimeTooSkewed', {
      details: {
        RequestTime: claim.amzDate,
        ServerTime: serverTime,
        MaxAllowedSkewMilliseconds: maxSkewMs,
      },
    });
  }
  if (skewMs < -maxSkewMs) {
    throw new S3Error('AccessDenied', {
      message: 'Request is not yet valid',
      details: { 'X-Amz-Date': claim.amzDate, ServerTime: serverTime },
    });
  }
  const expiresAtMs = claim.signedAtMs + claim.expiresSeconds * 1000;
  if (nowMs > expiresAtMs) {
    throw new S3Error('AccessDenied', {
      message: 'Request has expired',
      details: {
        'X-Amz-Expires': claim.expiresSeconds,
        Expires: new Date(expiresAtMs).toISOString(),
        ServerTime: serverTime,
      },
    });
  }
}

/**
 * `host` and every `x-amz-*` header that is there must be signed. A signed header that was not sent
 * is canonicalised as empty, so it fails as SignatureDoesNotMatch.
 */
function checkSignedHeaders(claim: Authorization, headers: RequestHeaders): void {
  const signed = new Set(claim.signedHeaders);
  const unsigned = [...headers.keys()].filter(
    (name) => (name === 'host' || name.startsWith('x-amz-')) && !signed.has(name),
  );
  if (unsigned.length === 0) return;
  throw new S3Error('AccessDenied', {
    message: 'There were headers present in the request which were not signed',
    details: { HeadersNotSigned: unsigned.join(', ') },
  });
}

function payloadHash(
  claim: Authorization,
  headers: RequestHeaders,
  query: ReadonlyMap<string, string>,
): string {
  const header = headers.get('x-amz-content-sha256');
  if (header !== undefined) return header;
  if (claim.expiresSeconds !== undefined) {
    return query.get('X-Amz-Content-Sha256') ?? 'UNSIGNED-PAYLOAD';
  }
  throw new S3Error('InvalidRequest', {
    message: 'Missing required header for this request: x-amz-content-sha256',
  });
}
