import { Type } from 'typebox';
import { findApiKeys, revokeApiKey } from '../../../jobs/store/api-keys.ts';
import { audited } from '../../../jobs/store/operator-actions.ts';
import type { Api, RouteDeps } from '../../api.ts';
import { actorOf } from '../../authenticate.ts';
import { Problem } from '../../problems.ts';
import { orNull, problemResponses, time } from '../../schemas.ts';
import { reason } from './operator-reason.ts';

const apiKey = Type.Object({
  keyId: Type.String(),
  prefix: Type.String({ description: 'the 12 characters by which it is looked up' }),
  tenantId: orNull(Type.String({ description: 'null: an operator’s' })),
  scopes: Type.Array(Type.String()),
  name: Type.String(),
  createdAt: time,
  expiresAt: orNull(time),
  revokedAt: orNull(time),
  lastUsedAt: orNull(time),
});

const query = Type.Object(
  {
    tenantId: Type.Optional(Type.String({ minLength: 1, maxLength: 63, pattern: '^[a-z0-9-]+$' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
    cursor: Type.Optional(Type.String({ format: 'uuid' })),
  },
  { additionalProperties: false },
);

/**
 * GET /ops/keys and POST /ops/keys/:prefix/revoke. A key is made by `npm run keys -- create` alone: who has stolen an
 * operator's key must not be able to make others that outlive it.
 */
export function keys(api: Api, { sql }: RouteDeps): void {
  const config = { scope: 'ops' } as const;
  const tags = ['operations'];
  api.get(
    '/ops/keys',
    {
      config,
      schema: {
        operationId: 'listKeys',
        tags,
        summary: 'List API keys, newest first; no secret is kept',
        querystring: query,
        response: {
          200: Type.Object({ keys: Type.Array(apiKey), nextCursor: orNull(Type.String()) }),
          ...problemResponses,
        },
      },
    },
    async (request) => {
      const { limit = 50, cursor, tenantId } = request.query;
      const found = await findApiKeys(sql, { tenantId, before: cursor, limit: limit + 1 });
      const shown = found.slice(0, limit);
      return {
        keys: shown.map((key) => ({
          ...key,
          scopes: [...key.scopes],
          createdAt: key.createdAt.toISOString(),
          expiresAt: key.expiresAt?.toISOString() ?? null,
          revokedAt: key.revokedAt?.toISOString() ?? null,
          lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
        })),
        nextCursor: found.length > limit ? (shown.at(-1)?.keyId ?? null) : null,
      };
    },
  );
  api.post(
    '/ops/keys/:prefix/revoke',
    {
      config,
      schema: {
        operationId: 'revokeKey',
        tags,
        summary: 'Revoke an API key for good; it stops working within 10 seconds',
        params: Type.Object({ prefix: Type.String({ pattern: '^[0-9a-f]{12}$' }) }),
        body: Type.Object({ reason }, { additionalProperties: false }),
        response: { 200: Type.Object({ revoked: Type.Boolean() }), ...problemResponses },
      },
    },
    async (request) => {
      const { prefix } = request.params;
      const revoked = await audited(
        sql,
        {
          actor: actorOf(request),
          action: 'key.revoke',
          target: `key/${prefix}`,
          reason: request.body.reason,
          details: {},
        },
        async () => await revokeApiKey(sql, prefix),
        (done) => (done ? 'revoked' : 'refused: no key of this prefix is in use'),
      );
      if (!revoked) throw new Problem('key-not-found');
      return { revoked };
    },
  );
}
