import type { RequestHeaders } from '../http/request-headers.ts';
import { S3Error } from '../s3-error.ts';
import type { ObjectVersion } from '../store/versions.ts';

/** A condition on a key's current version under which it may be written. */
export type WriteCondition =
  | { kind: 'none' }
  | { kind: 'must-be-absent' }
  | { kind: 'must-match'; etag: string };

/** `If-None-Match: *` or `If-Match: <etag>`; S3 knows no other form for writes. */
export function readWriteCondition(headers: RequestHeaders): WriteCondition {
  const ifMatch = headers.get('if-match');
  const ifNoneMatch = headers.get('if-none-match');
  const header = ifNoneMatch === undefined ? 'If-Match' : 'If-None-Match';
  if ((ifMatch !== undefined && ifNoneMatch !== undefined) || (ifNoneMatch ?? '*') !== '*') {
    throw new S3Error('NotImplemented', { details: { Header: header } });
  }
  if (ifNoneMatch !== undefined) return { kind: 'must-be-absent' };
  return ifMatch === undefined ? { kind: 'none' } : { kind: 'must-match', etag: unquote(ifMatch) };
}

/**
 * Decides whether a write may go ahead. Only the current version counts, and a delete marker is as good
 * as nothing (https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html).
 */
export function checkWriteCondition(
  condition: WriteCondition,
  current: ObjectVersion | undefined,
  watched: { readonly wasDeleted: boolean } = { wasDeleted: false },
): void {
  const live = current?.isDeleteMarker === false ? current : undefined;
  switch (condition.kind) {
    case 'none':
      return;
    case 'must-be-absent':
      if (live !== undefined) throw preconditionFailed('If-None-Match');
      if (watched.wasDeleted) {
        throw new S3Error('ConditionalRequestConflict', {
          details: { Condition: 'If-None-Match' },
        });
      }
      return;
    case 'must-match':
      if (live === undefined) throw new S3Error('NoSuchKey');
      if (!etagMatches(condition.etag, live.etag)) throw preconditionFailed('If-Match');
  }
}

export function preconditionFailed(condition: string): S3Error {
  return new S3Error('PreconditionFailed', { details: { Condition: condition } });
}

/** True for the same entity tag, quoted or bare, or `*`. */
export function etagMatches(condition: string, etag: string): boolean {
  const given = unquote(condition);
  return given === '*' || given === etag;
}

function unquote(etag: string): string {
  return etag.trim().replace(/^"(.*)"$/, '$1');
}
