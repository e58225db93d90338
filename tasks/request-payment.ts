import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { CallbackAnswer } from '../jobs/callback-answer.ts';
import { callbackMessage } from '../jobs/callback-message.ts';
import { jsonObject } from '../jobs/json-object.ts';
import { findCallback, registering, storeAnswer, swapToken } from '../jobs/store/callbacks.ts';
import { type Order, paymentKeyOf } from '../jobs/store/orders.ts';
import type { ProviderResponse } from '../jobs/store/effects.ts';
import {
  findSeenOrder,
  paymentHeaders,
  paymentReference,
  seenOrder,
} from './runtime/order-state.ts';
import { defineTask } from './runtime/define-task.ts';

/**
 * Asks the provider for the payment; its webhook ends the state, not this task. The callback is registered with the
 * intention, before the call. A rerun puts its own task token in place of the old one, and does not call where the
 * answer has come in the meantime: its message then brings it to this rerun.
 */
export const handler = defineTask(
  'request-payment',
  async ({ job, fence, sql, config, callProvider }, { order: seen, taskToken }) => {
    const order = await findSeenOrder(sql, job.tenantId, seen);
    const { callbackId } = order;
    const effectKey = paymentKeyOf(order);
    const callback = { callbackId, provider: 'payment', effectKey, taskToken, fence };
    const waiting = { ...job, ...fence, jobType: job.type, callbackId };
    const swapped = await swapToken(sql, callback, callbackMessage(waiting, 'tasks'));
    if (swapped?.answered === true) return {};
    const { url, apiKey, policy, callbackBaseUrl } = config.payment;
    const body = JSON.stringify({
      reference: paymentReference(order),
      orderId: order.orderId,
      amount: order.amount,
      currency: order.currency,
      callbackUrl: `${callbackBaseUrl.replace(/\/+$/, '')}/callbacks/${callbackId}`,
    });
    const headers = paymentHeaders(apiKey);
    const { response } = await callProvider({
      key: effectKey,
      provider: 'payment',
      operation: 'payment.request',
      policy,
      content: { orderId: order.orderId, amount: order.amount, currency: order.currency },
      alongside: (inStatement) => registering(inStatement, callback),
      request: () => ({ method: 'POST', url, headers, body }),
      lookup: ({ idempotencyKey }) => ({
        method: 'GET',
        url: lookupUrl(url, idempotencyKey),
        headers,
      }),
      referenceOf: ({ body: answer }) => text(jsonObject(answer)?.['paymentId']),
      answers: [402],
    });
    if (response?.status === 402) {
      const registered = await findCallback(sql, callbackId);
      if (registered !== undefined) {
        const answer = declined(order, response);
        await storeAnswer(sql, registered, answer, callbackMessage(waiting, 'tasks'), false);
      }
    }
    return {};
  },
  Type.Object({ order: seenOrder, taskToken: Type.String({ minLength: 1, maxLength: 2048 }) }),
);

function lookupUrl(url: string, idempotencyKey: string): string {
  const asked = new URL(url);
  asked.searchParams.set('idempotencyKey', idempotencyKey);
  return asked.href;
}

/** A 402 is the provider's decision, made at once instead of by a webhook. */
function declined(order: Order, { body }: ProviderResponse): CallbackAnswer {
  const answer = jsonObject(body);
  return {
    outcome: 'declined',
    reference: text(answer?.['paymentId']) ?? paymentReference(order),
    amount: order.amount,
    currency: order.currency,
    at: new Date().toISOString(),
    reason: text(answer?.['reason']),
  };
}

const text = (value: unknown): string | null =>
  Value.Check(Type.String({ minLength: 1, maxLength: 200 }), value) ? value : null;
