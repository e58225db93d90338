import type { ActionContext, ActionRequest } from '../http/action.ts';
import { invalidArgument, S3Error } from '../s3-error.ts';
import type { Bucket } from '../store/buckets.ts';
import type { ContentSlice } from '../store/content-files.ts';
import { listSegments, type ObjectVersion } from '../store/versions.ts';
import { sliceSegments, type ByteRange } from './byte-range.ts';
import { requireObject } from './find-object.ts';
import { checkReadConditions } from './read-conditions.ts';
import { preconditionFailed } from './write-conditions.ts';

/** The source of CopyObject or UploadPartCopy, its conditions met. */
export interface CopySource {
  bucket: Bucket;
  version: ObjectVersion;
}

/** Resolves `x-amz-copy-source`: `[/]bucket/key[?versionId=…]`, percent-encoded. */
export function requireCopySource(
  { store }: ActionContext,
  { headers }: ActionRequest,
): CopySource {
  const header = headers.get('x-amz-copy-source') ?? '';
  const [pathText = '', versionId] = header.split('?versionId=');
  const [, bucketName, key] = /^\/?([^/]+)\/(.+)$/s.exec(decode(pathText)) ?? [];
  if (bucketName === undefined || key === undefined) {
    throw invalidArgument(
      'x-amz-copy-source',
      header,
      'Copy Source must mention the source bucket and key: sourcebucket/sourcekey',
    );
  }
  const source = requireObject(store.index, bucketName, key, versionId);
  const conditions = checkReadConditions(headers, source.version, 'x-amz-copy-source-');
  if (conditions.isNotModified) throw preconditionFailed('x-amz-copy-source-If-None-Match');
  return source;
}

/** Streams bytes of the source and hands them to the work; its files are held meanwhile. */
export async function withSourceBytes<Result>(
  { store }: ActionContext,
  { version }: CopySource,
  range: ByteRange,
  work: (bytes: AsyncIterable<Buffer>) => Promise<Result>,
): Promise<Result> {
  const slices: ContentSlice[] = sliceSegments(listSegments(store.index, version.seq), range);
  const held = store.content.hold(slices.map(({ file }) => file));
  try {
    return await work(store.content.read(slices));
  } finally {
    await held.release();
  }
}

export function copySourceHeaders({ bucket, version }: CopySource): Record<string, string> {
  return bucket.versioning === 'Unversioned'
    ? {}
    : { 'x-amz-copy-source-version-id': version.versionId };
}

/** S3's limit for what one copy request may copy: 5 GiB. */
export function requireCopyableSize(bytes: number): void {
  const maxBytes = 5 * 1024 ** 3;
  if (bytes > maxBytes) {
    throw new S3Error('InvalidRequest', {
      message: `The specified copy source is larger than the maximum allowable size for a copy source: ${maxBytes}`,
    });
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    throw invalidArgument('x-amz-copy-source', text, 'Copy Source must be URL-encoded UTF-8');
  }
}
