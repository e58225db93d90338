import type { RequestHeaders } from '../http/request-headers.ts';
import { invalidArgument, S3Error } from '../s3-error.ts';
import type { ObjectDescription } from '../store/versions.ts';

const keptHeaders = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'expires',
];
const storageClasses = new Set([
  'STANDARD',
  'REDUCED_REDUNDANCY',
  'STANDARD_IA',
  'ONEZONE_IA',
  'INTELLIGENT_TIERING',
]);
const allowedAcls = new Set(['private', 'bucket-owner-full-control']);
/** User metadata, names and values together (https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingMetadata.html). */
const maxMetadataBytes = 2048;
const metadataPrefix = 'x-amz-meta-';

/**
 * What PutObject, CopyObject and CreateMultipartUpload say about an object. A presigned URL may carry its
 * `x-amz-meta-*` headers in the query, where signers move them. What is not kept here is refused.
 */
export function readDescription(
  headers: RequestHeaders,
  query: ReadonlyMap<string, string>,
): ObjectDescription {
  refuseWhatIsNotKept(headers);
  return {
    headers: readSystemHeaders(headers),
    metadata: readMetadata(new Map([...query, ...headers])),
    tags: parseTagging(headers.get('x-amz-tagging') ?? ''),
  };
}

/** Tags as the `x-amz-tagging` header carries them: a URL query. */
export function parseTagging(text: string): Record<string, string> {
  const tags: [string, string][] = [...new URLSearchParams(text)];
  return requireTags(tags);
}

/** At most ten tags, keys of 1–128 and values of up to 256 characters, no key twice. */
export function requireTags(tags: readonly [string, string][]): Record<string, string> {
  const invalid = (message: string) => invalidArgument('Tagging', '', message);
  if (tags.length > 10) throw invalid('Object tags cannot be greater than 10');
  if (new Set(tags.map(([key]) => key)).size < tags.length) {
    throw invalid('Cannot provide multiple Tags with the same key');
  }
  for (const [key, value] of tags) {
    if (key.length < 1 || key.length > 128) throw invalid('A tag key has 1 to 128 characters');
    if (value.length > 256) throw invalid('A tag value has up to 256 characters');
  }
  return Object.fromEntries(tags);
}

function readSystemHeaders(headers: RequestHeaders): Record<string, string> {
  const kept: Record<string, string> = { 'content-type': 'binary/octet-stream' };
  for (const name of keptHeaders) {
    const value = headers.get(name);
    if (value === undefined) continue;
    if (name === 'content-encoding') {
      const encodings = value.split(',').map((encoding) => encoding.trim());
      const own = encodings.filter((encoding) => encoding !== 'aws-chunked' && encoding !== '');
      if (own.length > 0) kept[name] = own.join(',');
    } else if (value !== '') {
      kept[name] = value;
    }
  }
  const storageClass = headers.get('x-amz-storage-class') ?? 'STANDARD';
  if (!storageClasses.has(storageClass)) {
    throw new S3Error('NotImplemented', {
      message: `Storage class ${storageClass} is not implemented here; use one of ${[...storageClasses].join(', ')}.`,
    });
  }
  if (storageClass !== 'STANDARD') kept['x-amz-storage-class'] = storageClass;
  return kept;
}

function readMetadata(source: ReadonlyMap<string, string>): Record<string, string> {
  const metadata: Record<string, string> = {};
  let bytes = 0;
  for (const [name, value] of source) {
    if (!name.startsWith(metadataPrefix)) continue;
    const shortName = name.slice(metadataPrefix.length);
    metadata[shortName] = value;
    bytes += Buffer.byteLength(shortName) + Buffer.byteLength(value);
  }
  if (bytes > maxMetadataBytes) {
    throw new S3Error('MetadataTooLarge', {
      details: { Size: bytes, MaxSizeAllowed: maxMetadataBytes },
    });
  }
  return metadata;
}

function refuseWhatIsNotKept(headers: RequestHeaders): void {
  const acl = headers.get('x-amz-acl') ?? 'private';
  const isGrant = [...headers.keys()].some((name) => name.startsWith('x-amz-grant-'));
  if (isGrant || !allowedAcls.has(acl)) throw new S3Error('AccessControlListNotSupported');
  const encryption = headers.get('x-amz-server-side-encryption') ?? 'AES256';
  const refused = [...headers.keys()].find(
    (name) =>
      name.startsWith('x-amz-object-lock-') ||
      name.startsWith('x-amz-server-side-encryption-') ||
      name === 'x-amz-website-redirect-location' ||
      name === 'x-amz-write-offset-bytes' ||
      (name === 'x-amz-server-side-encryption' && encryption !== 'AES256'),
  );
  if (refused !== undefined) throw new S3Error('NotImplemented', { details: { Header: refused } });
}
