import { createHash, createHmac } from 'node:crypto';
import type { RequestHeaders } from '../http/request-headers.ts';

/** The day, region and service a signing key is made for. */
export interface CredentialScope {
  /** YYYYMMDD */
  date: string;
  region: string;
  service: string;
}

interface CanonicalParts {
  method: string;
  /** Decoded; S3 encodes it once and does not normalise it. */
  path: string;
  queryPairs: readonly (readonly [string, string])[];
  headers: RequestHeaders;
  signedHeaders: readonly string[];
  payloadHash: string;
}

/** SigV4's canonical request (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html). */
export function canonicalRequest(parts: CanonicalParts): string {
  const query = parts.queryPairs
    .map(([name, value]) => [uriEncode(name), uriEncode(value)] as const)
    .sort(([nameA, valueA], [nameB, valueB]) => compare(nameA, nameB) || compare(valueA, valueB))
    .map((pair) => pair.join('='))
    .join('&');
  const headers = parts.signedHeaders.map(
    (name) => `${name}:${(parts.headers.get(name) ?? '').trim().replaceAll(/ +/g, ' ')}\n`,
  );
  return [
    parts.method,
    parts.path.split('/').map(uriEncode).join('/'),
    query,
    headers.join(''),
    parts.signedHeaders.join(';'),
    parts.payloadHash,
  ].join('\n');
}

export function scopeText({ date, region, service }: CredentialScope): string {
  return `${date}/${region}/${service}/aws4_request`;
}

/** What is signed: algorithm, time, scope and a digest of what the signature covers. */
export function stringToSign(amzDate: string, scope: CredentialScope, canonical: string): string {
  return ['AWS4-HMAC-SHA256', amzDate, scopeText(scope), sha256Hex(canonical)].join('\n');
}

export function signingKey(secretAccessKey: string, { date, region, service }: CredentialScope) {
  return [date, region, service, 'aws4_request'].reduce<Buffer | string>(
    (key, part) => createHmac('sha256', key).update(part).digest(),
    `AWS4${secretAccessKey}`,
  );
}

export function hmacHex(key: Buffer | string, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex');
}

export function sha256Hex(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

function uriEncode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
