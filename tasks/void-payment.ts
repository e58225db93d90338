import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { Terminal } from '../jobs/failure.ts';
import { jsonObject } from '../jobs/json-object.ts';
import { findCallback } from '../jobs/store/callbacks.ts';
import { type Order, paymentKeyOf } from '../jobs/store/orders.ts';
import {
  findSeenOrder,
  paymentHeaders,
  type PaymentOutcome,
  paymentReference,
  seenOrder,
} from './runtime/order-state.ts';
import { defineTask } from './runtime/define-task.ts';

/** How the provider says that the payment stands for good. */
const standing = Compile(
  Type.Object({
    status: Type.Enum(['voided', 'succeeded', 'declined']),
    paymentId: Type.Optional(Type.String()),
    amount: Type.Optional(Type.Integer()),
    currency: Type.Optional(Type.String()),
    at: Type.Optional(Type.String()),
    reason: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  }),
);

/**
 * Ends the wait for a payment: an answer that came too late for the state is taken; else the provider is told to void
 * it, and says how it stands for good. A `voided` payment can never be made any more.
 */
export const handler = defineTask(
  'void-payment',
  async ({ job, sql, config, callProvider }, { order: seen }): Promise<PaymentOutcome> => {
    const order = await findSeenOrder(sql, job.tenantId, seen);
    const callback = await findCallback(sql, order.callbackId);
    if (callback?.answer != null) return callback.answer;
    const { url, apiKey, policy } = config.payment;
    const headers = paymentHeaders(apiKey);
    const reference = paymentReference(order);
    const { response } = await callProvider({
      key: `${paymentKeyOf(order)}:void`,
      provider: 'payment',
      operation: 'payment.void',
      policy,
      content: { reference },
      request: () => ({
        method: 'POST',
        url: `${url.replace(/\/+$/, '')}/void`,
        headers,
        body: JSON.stringify({ reference }),
      }),
      lookup: ({ idempotencyKey }) => {
        const asked = new URL(url);
        asked.searchParams.set('idempotencyKey', idempotencyKey);
        return { method: 'GET', url: asked.href, headers };
      },
    });
    // Without a response a person has found out, and said that it was voided.
    return response === null ? voided(order) : outcomeOf(order, response.body);
  },
  Type.Object({ order: seenOrder }),
);

const voided = (order: Order): PaymentOutcome => ({
  outcome: 'voided',
  reference: paymentReference(order),
  amount: order.amount,
  currency: order.currency,
  at: new Date().toISOString(),
  reason: null,
});

function outcomeOf(order: Order, body: string): PaymentOutcome {
  const answer: unknown = jsonObject(body);
  if (!standing.Check(answer)) {
    throw new Terminal(
      'EFFECT_OUTCOME_UNKNOWN',
      `the provider's answer to the void does not say how payment ${paymentReference(order)} stands: ${body.slice(0, 500)}`,
    );
  }
  const base = voided(order);
  return {
    outcome: answer.status,
    reference: answer.paymentId ?? base.reference,
    amount: answer.amount ?? base.amount,
    currency: answer.currency ?? base.currency,
    at: answer.at ?? base.at,
    reason: answer.reason ?? null,
  };
}
