import { S3Error } from '../s3-error.ts';

/** What a request line points at, decoded. */
export interface Target {
  /** The decoded path, which SigV4 encodes again for its canonical form. */
  path: string;
  /** Decoded query pairs in the order sent. */
  queryPairs: readonly (readonly [name: string, value: string])[];
  bucket: string | undefined;
  key: string | undefined;
}

/** Path style only: the first path segment is the bucket, all the rest is the key. */
export function parseTarget(url: string): Target {
  const queryStart = url.indexOf('?');
  const rawPath = queryStart === -1 ? url : url.slice(0, queryStart);
  if (!rawPath.startsWith('/')) throw new S3Error('InvalidURI');
  const path = decode(rawPath);
  const bucketEnd = path.indexOf('/', 1);
  const bucket = bucketEnd === -1 ? path.slice(1) : path.slice(1, bucketEnd);
  const key = bucketEnd === -1 ? '' : path.slice(bucketEnd + 1);
  return {
    path,
    queryPairs: queryStart === -1 ? [] : parseQuery(url.slice(queryStart + 1)),
    bucket: bucket === '' ? undefined : bucket,
    key: key === '' ? undefined : key,
  };
}

function parseQuery(query: string): [string, string][] {
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name = '', ...value] = pair.replaceAll('+', ' ').split('=');
      return [decode(name), decode(value.join('='))];
    });
}

/** Percent-decoding that must give valid UTF-8 without NUL, which neither XML nor the index could carry. */
function decode(text: string): string {
  try {
    const decoded = decodeURIComponent(text);
    if (!decoded.includes('\0')) return decoded;
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
  }
  throw new S3Error('InvalidURI', { details: { URI: text } });
}
