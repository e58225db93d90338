import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';

/** How the payment stand-in answers a request, and what it does afterwards; payment.ts tells what each word does. */
const shape = Type.Object(
  {
    honourKeys: Type.Boolean(),
    answer: Type.Enum(['ok', 'fail', 'drop', 'refuse', 'decline']),
    status: Type.Integer({ minimum: 300, maximum: 599 }),
    headers: Type.Record(Type.String(), Type.String()),
    delayMs: Type.Integer({ minimum: 0, maximum: 600_000 }),
    confirm: Type.Enum(['succeeded', 'declined', 'silently', 'never']),
    confirmAfterMs: Type.Integer({ minimum: 0, maximum: 600_000 }),
    webhook: Type.Enum(['after', 'early', 'forged']),
    copies: Type.Integer({ minimum: 1, maximum: 100 }),
    times: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  },
  { additionalProperties: false },
);
export type PaymentBehaviour = Static<typeof shape>;

export const GOOD_PAYMENTS: PaymentBehaviour = {
  honourKeys: true,
  answer: 'ok',
  status: 500,
  headers: {},
  delayMs: 0,
  confirm: 'succeeded',
  confirmAfterMs: 100,
  webhook: 'after',
  copies: 1,
  times: null,
};

/** Parses the JSON text of a request; what it leaves out is as in GOOD_PAYMENTS. Throws, naming the field, otherwise. */
export function parsePaymentBehaviour(text: string): PaymentBehaviour {
  const given: unknown = JSON.parse(text);
  const whole: unknown = { ...GOOD_PAYMENTS, ...Object(given) };
  if (Value.Check(shape, whole)) return whole;
  const [problem] = Value.Errors(shape, whole);
  throw new Error(`behaviour${problem?.instancePath ?? ''} ${problem?.message ?? 'is not valid'}`);
}

/** What holds for the request that comes now, and what for the one after it. */
export function nextBehaviour(now: PaymentBehaviour): PaymentBehaviour {
  if (now.times === null) return now;
  return now.times > 1 ? { ...now, times: now.times - 1 } : GOOD_PAYMENTS;
}
