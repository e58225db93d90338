import { S3Error } from '../s3-error.ts';
import type { ContentSlice } from '../store/content-files.ts';
import type { Segment } from '../store/versions.ts';

/** A stretch of an object, in bytes from its start. */
export interface ByteRange {
  start: number;
  bytes: number;
}

/**
 * A `Range` header against an object of so many bytes. Undefined means the whole object: S3 ignores
 * what is malformed and answers several ranges with the whole. Out of reach is InvalidRange (416).
 */
export function parseRange(header: string | undefined, objectBytes: number): ByteRange | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  const isSuffix = first === '';
  const start = isSuffix ? Math.max(0, objectBytes - Number(last)) : Number(first);
  const end = isSuffix || last === '' ? objectBytes - 1 : Math.min(Number(last), objectBytes - 1);
  if (!isSuffix && last !== '' && Number(last) < Number(first)) return undefined;
  if (start >= objectBytes || end < start) {
    throw new S3Error('InvalidRange', {
      details: { RangeRequested: header ?? '', ActualObjectSize: objectBytes },
      headers: { 'content-range': `bytes */${objectBytes}` },
    });
  }
  return { start, bytes: end - start + 1 };
}

/** The pieces of files that make up a range of an object. */
export function sliceSegments(segments: readonly Segment[], range: ByteRange): ContentSlice[] {
  const rangeEnd = range.start + range.bytes;
  const slices: ContentSlice[] = [];
  let segmentStart = 0;
  for (const { file, bytes } of segments) {
    const start = Math.max(range.start, segmentStart);
    const end = Math.min(rangeEnd, segmentStart + bytes);
    if (end > start) slices.push({ file, start: start - segmentStart, bytes: end - start });
    segmentStart += bytes;
  }
  return slices;
}
