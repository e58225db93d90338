import { Type } from 'typebox';
import {
  rotateWebhookSecret,
  type WebhookSecret,
  webhookSecrets as readSecrets,
} from '../../jobs/store/webhook-secrets.ts';
import type { Api, RouteDeps } from '../api.ts';
import { tenantOf } from '../authenticate.ts';
import { orNull, problemResponses, time } from '../schemas.ts';

const response = {
  200: Type.Object({
    secrets: Type.Array(
      Type.Object({ secret: Type.String(), createdAt: time, expiresAt: orNull(time) }),
    ),
  }),
  ...problemResponses,
};

/** GET /webhook-secrets and POST /webhook-secrets/rotate: with what completion webhooks are signed. */
export function webhookSecrets(api: Api, { sql }: RouteDeps): void {
  api.get(
    '/webhook-secrets',
    {
      config: { scope: 'jobs:write' },
      schema: {
        operationId: 'getWebhookSecrets',
        tags: ['webhooks'],
        summary: 'Get the secrets that sign completion webhooks, the current one first',
        response,
      },
    },
    async (request, reply) => reply.send(represent(await readSecrets(sql, tenantOf(request)))),
  );
  api.post(
    '/webhook-secrets/rotate',
    {
      config: { scope: 'jobs:write' },
      schema: {
        operationId: 'rotateWebhookSecret',
        tags: ['webhooks'],
        summary: 'Make a new secret; the one before signs beside it for a day',
        response,
      },
    },
    async (request, reply) =>
      reply.send(represent(await rotateWebhookSecret(sql, tenantOf(request)))),
  );
}

const represent = (secrets: readonly WebhookSecret[]) => ({
  secrets: secrets.map(({ secret, createdAt, expiresAt }) => ({
    secret,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
  })),
});
