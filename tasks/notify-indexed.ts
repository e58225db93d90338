import { Webhook } from 'standardwebhooks';
import { Type } from 'typebox';
import type { Call } from '../jobs/effect-log.ts';
import { inputSchema } from '../statemachines/document-metadata/job-type.ts';
import { defineTask } from './runtime/define-task.ts';
import { inputReader } from './runtime/job-input.ts';

const result = Type.Object({
  contentType: Type.String(),
  bytes: Type.Integer(),
  sha256: Type.String(),
  metadata: Type.Record(Type.String(), Type.Unknown()),
});
const inputOf = inputReader(inputSchema);

/**
 * Tells the webhook's owner that a version of a document is indexed, once in effect: Standard Webhooks
 * (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).
 * The body is the same for every attempt; the signature's timestamp is the attempt's.
 */
export const handler = defineTask(
  'notify-indexed',
  async ({ job, config, callProvider }, { document }) => {
    const { documentId, version } = inputOf(job);
    const { url, secret, policy } = config.webhook;
    const { contentType, bytes, sha256, metadata } = document.result;
    const content = { documentId, version, sha256, bytes, contentType };
    const body = JSON.stringify({
      type: 'document.indexed',
      timestamp: document.indexedAt,
      data: { tenantId: job.tenantId, ...content, metadata },
    });
    const { replayed } = await callProvider({
      key: `document:${documentId}:${version}:indexed`,
      provider: 'webhook',
      operation: 'document.indexed',
      policy,
      content,
      request: (call) => ({ method: 'POST', url, headers: signed(secret, call, body), body }),
      lookup: (call) => ({ method: 'GET', url: lookupUrl(url, call), headers: {} }),
    });
    return { replayed };
  },
  Type.Object({ document: Type.Object({ indexedAt: Type.String(), result }) }),
);

/** `webhook-id` stays the same over all attempts: receivers tell repeats by it. */
function signed(secret: string, { effectId }: Call, body: string): Record<string, string> {
  const at = new Date();
  return {
    'content-type': 'application/json',
    'user-agent': 'Pawl',
    'webhook-id': effectId,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(effectId, at, body),
  };
}

/** With WEBHOOK_POLICY=lookup the endpoint answers `GET ?idempotencyKey=…`: 2xx it was taken in, 404 it was not. */
function lookupUrl(url: string, { idempotencyKey }: Call): string {
  const asked = new URL(url);
  asked.searchParams.set('idempotencyKey', idempotencyKey);
  return asked.href;
}
