import type { DatabaseSync } from 'node:sqlite';
import { S3Error } from '../s3-error.ts';
import { findBucket } from '../store/buckets.ts';
import type { ActionResponse } from './action.ts';
import { corsHeaders, readCorsRules } from './cors-rules.ts';
import type { Target } from './parse-target.ts';
import type { RequestHeaders } from './request-headers.ts';

/** What an answer to a page of another origin carries besides; nothing where no rule allows it: the browser then refuses. */
export function headersForPage(
  db: DatabaseSync,
  method: string,
  { bucket }: Target,
  headers: RequestHeaders,
): Record<string, string> {
  const origin = headers.get('origin');
  const cors = bucket === undefined ? undefined : findBucket(db, bucket)?.cors;
  if (origin === undefined || cors === undefined) return {};
  return corsHeaders(readCorsRules(cors), { origin, method, headers: [] }) ?? {};
}

/** A preflight: unsigned, and answered by the bucket's rules alone. */
export function answerPreflight(
  db: DatabaseSync,
  { bucket }: Target,
  headers: RequestHeaders,
): ActionResponse {
  const origin = headers.get('origin');
  const method = headers.get('access-control-request-method');
  if (origin === undefined || method === undefined) {
    throw new S3Error('BadRequest', {
      message: 'Insufficient information. Origin request header needed.',
    });
  }
  const cors = bucket === undefined ? undefined : findBucket(db, bucket)?.cors;
  if (cors === undefined) {
    throw new S3Error('AccessForbidden', {
      message: 'CORSResponse: CORS is not enabled for this bucket.',
    });
  }
  const asked = (headers.get('access-control-request-headers') ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const allowed = corsHeaders(readCorsRules(cors), { origin, method, headers: asked });
  if (allowed === undefined) {
    throw new S3Error('AccessForbidden', {
      message:
        "CORSResponse: This CORS request is not allowed. This is usually because the evalution of Origin, request method / Access-Control-Request-Method or Access-Control-Request-Headers are not whitelisted by the resource's CORS spec.",
    });
  }
  return { status: 200, headers: allowed };
}
