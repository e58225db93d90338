import { type Static, type TObject, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { schemaProblems } from './schema-problems.ts';
import type { JsonProblem } from './exact-json.ts';

/** What a payment provider posts, as Standard Webhooks shapes an event. Fields of its own are ignored. */
const paymentWebhook = Type.Object({
  type: Type.Enum(['payment.succeeded', 'payment.declined']),
  timestamp: Type.String({ format: 'date-time' }),
  data: Type.Object({
    paymentId: Type.String({ minLength: 1, maxLength: 200 }),
    amount: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    currency: Type.String({ minLength: 3, maxLength: 3 }),
    reason: Type.Optional(Type.String({ maxLength: 500 })),
  }),
});

/** A provider's answer as the waiting state gets it. */
export const callbackAnswer = Type.Object({
  outcome: Type.Enum(['succeeded', 'declined']),
  /** What the provider calls the payment. */
  reference: Type.String(),
  amount: Type.Integer(),
  currency: Type.String(),
  /** When it was decided, by the provider's clock: ISO 8601 in UTC. */
  at: Type.String(),
  reason: Type.Union([Type.String(), Type.Null()]),
}) satisfies TObject;
export type CallbackAnswer = Static<typeof callbackAnswer>;

const check = Compile(paymentWebhook);

/** Reads a webhook's body, or says what is wrong with it. */
export function readPaymentWebhook(
  body: unknown,
): { readonly answer: CallbackAnswer } | { readonly problems: readonly JsonProblem[] } {
  const problems = schemaProblems(check, body);
  if (problems.length > 0) return { problems };
  const { type, timestamp, data } = body as Static<typeof paymentWebhook>;
  return {
    answer: {
      outcome: type === 'payment.succeeded' ? 'succeeded' : 'declined',
      reference: data.paymentId,
      amount: data.amount,
      currency: data.currency,
      at: new Date(timestamp).toISOString(),
      reason: data.reason ?? null,
    },
  };
}
