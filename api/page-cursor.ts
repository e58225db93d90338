import { parseJobId } from '../jobs/ids.ts';
import type { JobPlace, ListedJob } from '../jobs/store/list-jobs.ts';
import { Problem } from './problems.ts';

const timestamp = /^\d{4,6}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(\.\d{1,6})?[+-]\d{2}(:\d{2})?$/;

/** Where the next page begins, as an opaque text. */
export const cursorOf = (job: ListedJob): string =>
  Buffer.from(JSON.stringify([job.place, job.jobId])).toString('base64url');

/** Reads a cursor back; what we have not written is refused. */
export function readCursor(cursor: string | undefined): JobPlace | undefined {
  if (cursor === undefined) return undefined;
  const place = parsePlace(Buffer.from(cursor, 'base64url').toString('utf8'));
  if (place !== undefined) return place;
  throw new Problem('invalid-request', {
    in: 'querystring',
    errors: [{ pointer: '/cursor', message: 'is not the nextCursor of an earlier page' }],
  });
}

function parsePlace(text: string): JobPlace | undefined {
  let parts: unknown;
  try {
    parts = JSON.parse(text);
  } catch {
    return undefined; // not ours; the caller says so
  }
  const [createdAt, id]: readonly unknown[] = Array.isArray(parts) ? parts : [];
  const jobId = typeof id === 'string' ? parseJobId(id) : undefined;
  const isPlace =
    jobId !== undefined &&
    typeof createdAt === 'string' &&
    timestamp.test(createdAt) &&
    !Number.isNaN(Date.parse(createdAt));
  return isPlace ? { createdAt, jobId } : undefined;
}
