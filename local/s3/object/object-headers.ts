import type { Checksum } from '../checksums/checksum-algorithms.ts';
import type { Bucket } from '../store/buckets.ts';
import type { ObjectVersion } from '../store/versions.ts';
import type { XmlElement } from '../xml/write-xml.ts';

/** `x-amz-version-id`, which a bucket that never had versioning does not send. */
export function versionHeaders(bucket: Bucket, versionId: string): Record<string, string> {
  return bucket.versioning === 'Unversioned' ? {} : { 'x-amz-version-id': versionId };
}

export function checksumHeaders(checksum: Checksum | undefined): Record<string, string> {
  if (checksum === undefined) return {};
  return {
    [`x-amz-checksum-${checksum.algorithm.toLowerCase()}`]: checksum.value,
    'x-amz-checksum-type': checksum.type,
  };
}

/** `<ChecksumSHA256>` and its like, with `<ChecksumType>`. */
export function checksumElements(checksum: Checksum | undefined): XmlElement[] {
  if (checksum === undefined) return [];
  return [
    { name: `Checksum${checksum.algorithm}`, content: checksum.value },
    { name: 'ChecksumType', content: checksum.type },
  ];
}

/** The headers of an object that GET and HEAD share, apart from those of length and range. */
export function objectHeaders(bucket: Bucket, version: ObjectVersion): Record<string, string> {
  const metadata = Object.entries(version.metadata).map(([name, value]) => [
    `x-amz-meta-${name}`,
    value,
  ]);
  const tagCount = Object.keys(version.tags).length;
  return {
    ...version.headers,
    ...Object.fromEntries(metadata),
    ...versionHeaders(bucket, version.versionId),
    ...(tagCount > 0 ? { 'x-amz-tagging-count': String(tagCount) } : {}),
    'accept-ranges': 'bytes',
    etag: `"${version.etag}"`,
    'last-modified': new Date(version.lastModifiedMs).toUTCString(),
  };
}

/** S3's form of a time in XML. */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
