import { Type } from 'typebox';
import { search } from '../../jobs/store/search-entries.ts';
import type { Api, RouteDeps } from '../api.ts';
import { tenantOf } from '../authenticate.ts';
import { problemResponses, time } from '../schemas.ts';

/** GET /search: documents and orders by their words, as the events about them say; a moment behind the jobs. */
export function getSearch(api: Api, { sql }: RouteDeps): void {
  api.get(
    '/search',
    {
      config: { scope: 'jobs:read' },
      schema: {
        operationId: 'search',
        tags: ['jobs'],
        summary: 'Find documents and orders',
        description:
          'All words must be found, in any order and case. The entries are made from events, so they follow a job’s end by a moment.',
        querystring: Type.Object(
          {
            q: Type.String({
              minLength: 1,
              maxLength: 200,
              pattern: '^[^\\x00]*[^\\s\\x00][^\\x00]*$',
            }),
            kind: Type.Optional(Type.Enum(['document', 'order'])),
            limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
          },
          { additionalProperties: false },
        ),
        response: {
          200: Type.Object({
            entries: Type.Array(
              Type.Object({
                kind: Type.String(),
                id: Type.String(),
                version: Type.Integer(),
                facts: Type.Record(Type.String(), Type.Unknown()),
                updatedAt: time,
              }),
            ),
          }),
          ...problemResponses,
        },
      },
    },
    async (request) => {
      const { q, kind = null, limit = 20 } = request.query;
      const words = q.trim().split(/\s+/).slice(0, 10);
      const entries = await search(sql, tenantOf(request), { words, kind, limit });
      return {
        entries: entries.map((entry) => ({
          ...entry,
          facts: Object(entry.facts) as Record<string, unknown>,
          updatedAt: entry.updatedAt.toISOString(),
        })),
      };
    },
  );
}
