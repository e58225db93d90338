import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { Type } from 'typebox';
import { readPaymentWebhook } from '../../jobs/callback-answer.ts';
import { callbackMessage } from '../../jobs/callback-message.ts';
import { parseCallbackId } from '../../jobs/ids.ts';
import { findCallback, storeAnswer } from '../../jobs/store/callbacks.ts';
import type { Api, AppDeps } from '../api.ts';
import { Problem } from '../problems.ts';
import { problemResponses } from '../schemas.ts';

/**
 * POST /callbacks/:callbackId: a provider's answer to a waiting state, signed as Standard Webhooks says
 * (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md). The answer and its
 * message are committed before the 200; the same answer again is a 200 too.
 */
export function postCallback(api: Api, { sql, relay, paymentWebhookSecret }: AppDeps): void {
  readTextBodies(api);
  api.post(
    '/callbacks/:callbackId',
    {
      schema: {
        operationId: 'receiveCallback',
        tags: ['callbacks'],
        summary: 'Answer a waiting job, as a provider',
        description:
          'The address is given to the provider with each request. The body is an event in the form of Standard Webhooks (`payment.succeeded` or `payment.declined`), signed with the shared secret; a signature is good for five minutes.',
        security: [],
        params: Type.Object({ callbackId: Type.String({ maxLength: 100 }) }),
        headers: Type.Object({
          'webhook-id': Type.Optional(Type.String()),
          'webhook-timestamp': Type.Optional(Type.String()),
          'webhook-signature': Type.Optional(Type.String()),
        }),
        response: {
          200: Type.Object({
            received: Type.Boolean(),
            duplicate: Type.Boolean({ description: 'an answer was there already' }),
          }),
          ...problemResponses,
        },
      },
    },
    async (request) => {
      const callbackId = parseCallbackId(request.params.callbackId);
      const callback = callbackId && (await findCallback(sql, callbackId));
      if (!callback) throw new Problem('callback-not-found');
      const body = verified(paymentWebhookSecret, request.body, request.headers);
      const read = readPaymentWebhook(body);
      if ('problems' in read)
        throw new Problem('invalid-request', { in: 'body', errors: [...read.problems] });
      const stored = await storeAnswer(
        sql,
        callback,
        read.answer,
        callbackMessage(callback, 'api'),
        true,
      );
      if (stored.kind === 'stored') relay.publishSoon(stored.row);
      request.log.info({ jobId: callback.jobId, kind: stored.kind }, 'callback');
      return { received: true, duplicate: stored.kind !== 'stored' };
    },
  );
}

/** The signature is over the bytes as they came. */
function readTextBodies(api: Api): void {
  api.removeAllContentTypeParsers();
  api.addContentTypeParser(
    'application/json',
    { parseAs: 'string' },
    async (_: unknown, body: string) => body,
  );
}

type SignatureHeader = 'webhook-id' | 'webhook-timestamp' | 'webhook-signature';

/** The body, parsed, if it carries a signature of the secret that is at most five minutes old. */
function verified(
  secret: string | undefined,
  body: unknown,
  headers: Readonly<Partial<Record<SignatureHeader, string>>>,
): unknown {
  if (secret === undefined) {
    throw new Problem('signature-invalid', {
      detail: 'no secret is configured (PAYMENT_WEBHOOK_SECRET): no webhook is believed',
    });
  }
  const signed = {
    'webhook-id': headers['webhook-id'] ?? '',
    'webhook-timestamp': headers['webhook-timestamp'] ?? '',
    'webhook-signature': headers['webhook-signature'] ?? '',
  };
  try {
    return new Webhook(secret).verify(typeof body === 'string' ? body : '', signed);
  } catch (error) {
    if (error instanceof WebhookVerificationError)
      throw new Problem('signature-invalid', { detail: error.message });
    // Signed as it should be, and not JSON.
    if (error instanceof SyntaxError) throw new Problem('invalid-json', { detail: error.message });
    throw error;
  }
}
