import { type Static, Type } from 'typebox';
import { parseJobId } from '../../../jobs/ids.ts';
import { jsonObject } from '../../../jobs/json-object.ts';
import { type AuditEntry, findAudit } from '../../../jobs/store/operator-actions.ts';
import type { Api, RouteDeps } from '../../api.ts';
import { Problem } from '../../problems.ts';
import { jobId, orNull, problemResponses, queryTime, time } from '../../schemas.ts';

const entry = Type.Object({
  id: Type.String(),
  at: time,
  actor: Type.String(),
  action: Type.String(),
  target: Type.String(),
  jobId: orNull(Type.String()),
  reason: Type.String(),
  result: Type.String(),
  details: Type.Record(Type.String(), Type.Unknown()),
});

const word = Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\x00]+$' });
const query = Type.Object(
  {
    actor: Type.Optional(word),
    action: Type.Optional(word),
    target: Type.Optional(word),
    jobId: Type.Optional(jobId),
    after: Type.Optional(queryTime),
    before: Type.Optional(queryTime),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
    cursor: Type.Optional(Type.String({ maxLength: 200 })),
  },
  { additionalProperties: false },
);

/**
 * GET /ops/audit: what operators did, newest first: their actions, and the changes of jobs that they made; and what was
 * refused to whom (`action` `refused.…`), a line for each caller, reason and route in an hour.
 */
export function getAudit(api: Api, { sql }: RouteDeps): void {
  api.get(
    '/ops/audit',
    {
      config: { scope: 'ops' },
      schema: {
        operationId: 'getAudit',
        tags: ['operations'],
        summary: 'See who did what, when and why',
        querystring: query,
        response: {
          200: Type.Object({ entries: Type.Array(entry), nextCursor: orNull(Type.String()) }),
          ...problemResponses,
        },
      },
    },
    async (request) => {
      const { limit = 50, cursor, after, before, jobId: of, ...filter } = request.query;
      const found = await findAudit(
        sql,
        {
          ...filter,
          jobId: of === undefined ? undefined : parseJobId(of),
          after: after === undefined ? undefined : new Date(after),
          before: before === undefined ? undefined : new Date(before),
        },
        { limit: limit + 1, from: readCursor(cursor) },
      );
      const shown = found.slice(0, limit);
      const last = shown.at(-1);
      return {
        entries: shown.map(representEntry),
        nextCursor: found.length > limit && last !== undefined ? cursorOf(last) : null,
      };
    },
  );
}

const representEntry = (found: AuditEntry): Static<typeof entry> => ({
  id: found.id,
  at: found.at.toISOString(),
  actor: found.actor,
  action: found.action,
  target: found.target,
  jobId: found.jobId,
  reason: found.reason,
  result: found.result,
  details: { ...(found.details as Record<string, unknown>) },
});

const cursorOf = ({ place, id }: AuditEntry): string =>
  Buffer.from(JSON.stringify({ at: place, id })).toString('base64url');

function readCursor(cursor: string | undefined): { at: string; id: string } | undefined {
  if (cursor === undefined) return undefined;
  const { at, id } = jsonObject(Buffer.from(cursor, 'base64url').toString('utf8')) ?? {};
  if (typeof at === 'string' && !Number.isNaN(Date.parse(at)) && typeof id === 'string') {
    return { at, id };
  }
  throw new Problem('invalid-request', {
    in: 'querystring',
    errors: [{ pointer: '/cursor', message: 'is not the nextCursor of an earlier page' }],
  });
}
