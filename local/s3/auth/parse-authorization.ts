import type { RequestHeaders } from '../http/request-headers.ts';
import { S3Error } from '../s3-error.ts';
import type { CredentialScope } from './canonical-request.ts';

/** A SigV4 claim as sent, not yet verified. */
export interface Authorization {
  accessKeyId: string;
  scope: CredentialScope;
  signedHeaders: readonly string[];
  signature: string;
  /** YYYYMMDDTHHMMSSZ */
  amzDate: string;
  signedAtMs: number;
  sessionToken: string | undefined;
  /** Presigned URLs only. */
  expiresSeconds: number | undefined;
}

const maxExpiresSeconds = 7 * 24 * 60 * 60;

/** Reads the `Authorization` header or a presigned URL's parameters; nothing at all is AccessDenied. */
export function parseAuthorization(
  headers: RequestHeaders,
  query: ReadonlyMap<string, string>,
): Authorization {
  const header = headers.get('authorization');
  const isPresigned = query.has('X-Amz-Algorithm') || query.has('X-Amz-Signature');
  if (header !== undefined && isPresigned) {
    throw new S3Error('InvalidArgument', {
      message:
        'Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter or the Authorization header should be specified',
    });
  }
  if (header !== undefined) return fromHeader(header, headers);
  if (isPresigned) return fromQuery(query);
  throw new S3Error('AccessDenied', { message: 'Anonymous requests are not allowed: sign it.' });
}

function fromHeader(header: string, headers: RequestHeaders): Authorization {
  const malformed = (message: string) => new S3Error('AuthorizationHeaderMalformed', { message });
  if (!header.startsWith('AWS4-HMAC-SHA256 ')) {
    throw new S3Error('InvalidRequest', {
      message:
        'The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.',
    });
  }
  const fields = new Map<string, string>();
  for (const field of header.slice('AWS4-HMAC-SHA256 '.length).split(',')) {
    const [name = '', ...value] = field.trim().split('=');
    fields.set(name, value.join('='));
  }
  const credential = parseCredential(fields.get('Credential') ?? '');
  const signature = fields.get('Signature');
  const signedHeaders = fields.get('SignedHeaders');
  if (credential === undefined || signature === undefined || signedHeaders === undefined) {
    throw malformed(
      'The authorization header is malformed; it needs Credential=<key>/<date>/<region>/s3/aws4_request, SignedHeaders and Signature.',
    );
  }
  const amzDate = headers.get('x-amz-date') ?? '';
  const signedAtMs = parseAmzDate(amzDate);
  if (signedAtMs === undefined) {
    throw new S3Error('AccessDenied', {
      message: 'AWS authentication requires a valid x-amz-date header',
    });
  }
  if (!amzDate.startsWith(credential.scope.date)) {
    throw malformed('The date in the credential scope does not match x-amz-date.');
  }
  const sessionToken = headers.get('x-amz-security-token');
  return {
    ...credential,
    signedHeaders: signedHeaders.split(';'),
    signature,
    amzDate,
    signedAtMs,
    sessionToken,
    expiresSeconds: undefined,
  };
}

function fromQuery(query: ReadonlyMap<string, string>): Authorization {
  const malformed = (message?: string) =>
    new S3Error('AuthorizationQueryParametersError', message === undefined ? {} : { message });
  if (query.get('X-Amz-Algorithm') !== 'AWS4-HMAC-SHA256') {
    throw malformed('X-Amz-Algorithm only supports "AWS4-HMAC-SHA256"');
  }
  const credential = parseCredential(query.get('X-Amz-Credential') ?? '');
  const signature = query.get('X-Amz-Signature');
  const signedHeaders = query.get('X-Amz-SignedHeaders');
  const expires = query.get('X-Amz-Expires');
  const amzDate = query.get('X-Amz-Date') ?? '';
  const signedAtMs = parseAmzDate(amzDate);
  if (signature === undefined || signedHeaders === undefined || expires === undefined) {
    throw malformed();
  }
  if (credential === undefined) {
    throw malformed('X-Amz-Credential must be <key>/<date>/<region>/s3/aws4_request');
  }
  if (signedAtMs === undefined) {
    throw malformed("X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"");
  }
  if (!amzDate.startsWith(credential.scope.date)) {
    throw malformed('The date in X-Amz-Credential does not match X-Amz-Date.');
  }
  return {
    ...credential,
    signedHeaders: signedHeaders.split(';'),
    signature,
    amzDate,
    signedAtMs,
    sessionToken: query.get('X-Amz-Security-Token'),
    expiresSeconds: parseExpires(expires, malformed),
  };
}

function parseExpires(text: string, malformed: (message: string) => S3Error): number {
  if (!/^\d{1,9}$/.test(text)) throw malformed('X-Amz-Expires should be a number of seconds');
  const seconds = Number(text);
  if (seconds > maxExpiresSeconds) {
    throw malformed('X-Amz-Expires must be less than a week (in seconds) that is 604800');
  }
  return seconds;
}

function parseCredential(
  credential: string,
): { accessKeyId: string; scope: CredentialScope } | undefined {
  const match = /^(.+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request$/.exec(credential);
  const [, accessKeyId, date, region, service] = match ?? [];
  if (!accessKeyId || !date || !region || !service) return undefined;
  return { accessKeyId, scope: { date, region, service } };
}

function parseAmzDate(text: string): number | undefined {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second] = match;
  const milliseconds = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}
