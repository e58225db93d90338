import { Type } from 'typebox';
import type { Api } from '../api.ts';
import { callerOf } from '../authenticate.ts';
import { orNull, problemResponses, time } from '../schemas.ts';

/** GET /me: whose key this is and what it allows, so that a page offers only what will be let through. */
export function getMe(api: Api): void {
  api.get(
    '/me',
    {
      config: { scope: 'jobs:read' },
      schema: {
        operationId: 'getMe',
        tags: ['service'],
        summary: 'Whose key is this, and what may it do?',
        response: {
          200: Type.Object({
            keyId: Type.String(),
            tenantId: orNull(
              Type.String({ description: 'null: an operator, who sees all tenants' }),
            ),
            scopes: Type.Array(Type.String({ description: 'jobs:read, jobs:write, ops' })),
            expiresAt: orNull(time),
          }),
          ...problemResponses,
        },
      },
    },
    async (request) => {
      const { keyId, tenantId, scopes, expiresAt } = callerOf(request);
      return { keyId, tenantId, scopes: [...scopes], expiresAt: expiresAt?.toISOString() ?? null };
    },
  );
}
