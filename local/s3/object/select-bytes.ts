import type { ActionRequest } from '../http/action.ts';
import { S3Error } from '../s3-error.ts';
import type { ObjectVersion, Segment } from '../store/versions.ts';
import { parseRange, type ByteRange } from './byte-range.ts';
import { checksumHeaders } from './object-headers.ts';
import { parsePartNumber } from './part-number.ts';

interface SelectedBytes {
  status: 200 | 206;
  range: ByteRange;
  headers: Record<string, string>;
}

/**
 * Which bytes a GET or HEAD means, by `Range` or `partNumber`, with the headers that say so.
 * A checksum is sent with checksum mode ENABLED, and only if it is that of the bytes sent.
 */
export function selectBytes(
  { headers, query }: ActionRequest,
  version: ObjectVersion,
  segments: readonly Segment[],
): SelectedBytes {
  const wantsChecksum =
    (headers.get('x-amz-checksum-mode') ?? query.get('x-amz-checksum-mode')) === 'ENABLED';
  const partText = query.get('partNumber');
  const rangeText = headers.get('range');
  if (partText !== undefined) {
    if (rangeText !== undefined) {
      throw new S3Error('InvalidRequest', {
        message: 'Cannot specify both Range header and partNumber query parameter',
      });
    }
    return selectPart(parsePartNumber(partText), version, segments, wantsChecksum);
  }
  const range = parseRange(rangeText, version.bytes);
  if (range !== undefined) {
    return { status: 206, range, headers: rangeHeaders(range, version.bytes) };
  }
  return {
    status: 200,
    range: { start: 0, bytes: version.bytes },
    headers: {
      'content-length': String(version.bytes),
      ...(wantsChecksum ? checksumHeaders(version.checksum) : {}),
    },
  };
}

function selectPart(
  partNumber: number,
  version: ObjectVersion,
  segments: readonly Segment[],
  wantsChecksum: boolean,
): SelectedBytes {
  const at = segments.findIndex((segment) => (segment.partNumber ?? 1) === partNumber);
  const segment = segments[at];
  if (segment === undefined) {
    throw new S3Error('InvalidPartNumber', {
      details: { PartNumberRequested: partNumber, ActualPartCount: segments.length },
    });
  }
  const start = segments.slice(0, at).reduce((sum, { bytes }) => sum + bytes, 0);
  const range = { start, bytes: segment.bytes };
  const isMultipart = segment.partNumber !== undefined;
  const { checksum } = version;
  const partChecksum =
    checksum && isMultipart
      ? segment.partChecksum && { ...checksum, value: segment.partChecksum }
      : checksum;
  return {
    status: 206,
    range,
    headers: {
      ...rangeHeaders(range, version.bytes),
      ...(isMultipart ? { 'x-amz-mp-parts-count': String(segments.length) } : {}),
      ...(wantsChecksum && partChecksum ? checksumHeaders(partChecksum) : {}),
    },
  };
}

/** An empty object's only part has no bytes to give a range of. */
function rangeHeaders({ start, bytes }: ByteRange, objectBytes: number): Record<string, string> {
  const length = { 'content-length': String(bytes) };
  if (bytes === 0) return length;
  return { ...length, 'content-range': `bytes ${start}-${start + bytes - 1}/${objectBytes}` };
}
