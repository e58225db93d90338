import type { RequestHeaders } from '../http/request-headers.ts';
import type { ObjectVersion } from '../store/versions.ts';
import { etagMatches, preconditionFailed } from './write-conditions.ts';

/**
 * RFC 9110's preconditions in its order: If-Match before If-Unmodified-Since, If-None-Match before
 * If-Modified-Since. A failed "match" is 412, thrown; the result says whether the answer is 304.
 * `prefix` is `x-amz-copy-source-` for the source of a copy.
 */
export function checkReadConditions(
  headers: RequestHeaders,
  version: ObjectVersion,
  prefix = '',
): { isNotModified: boolean } {
  const ifMatch = headers.get(`${prefix}if-match`);
  const ifNoneMatch = headers.get(`${prefix}if-none-match`);
  const modifiedAfter = (name: string) => isModifiedAfter(version, headers.get(prefix + name));
  if (ifMatch !== undefined) {
    if (!anyMatches(ifMatch, version.etag)) throw preconditionFailed('If-Match');
  } else if (modifiedAfter('if-unmodified-since') === true) {
    throw preconditionFailed('If-Unmodified-Since');
  }
  if (ifNoneMatch !== undefined) return { isNotModified: anyMatches(ifNoneMatch, version.etag) };
  return { isNotModified: modifiedAfter('if-modified-since') === false };
}

function anyMatches(list: string, etag: string): boolean {
  return list.split(',').some((item) => etagMatches(item.replace(/^\s*W\//, ''), etag));
}

/** Undefined without a valid date; HTTP dates have whole seconds. */
function isModifiedAfter(version: ObjectVersion, date: string | undefined): boolean | undefined {
  const sinceMs = date === undefined ? Number.NaN : Date.parse(date);
  if (Number.isNaN(sinceMs)) return undefined;
  return Math.floor(version.lastModifiedMs / 1000) * 1000 > sinceMs;
}
