import { randomUUID } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';

export const paymentRequest = Type.Object({
  /** The merchant's own name for this payment; by it the payment is voided. */
  reference: Type.String({ minLength: 1 }),
  amount: Type.Integer({ minimum: 1 }),
  currency: Type.String({ minLength: 3, maxLength: 3 }),
  callbackUrl: Type.String({ minLength: 1 }),
});
export type PaymentRequest = Static<typeof paymentRequest>;

export interface Payment extends PaymentRequest {
  readonly paymentId: string;
  status: 'pending' | 'succeeded' | 'declined' | 'voided';
  /** When it got that status. */
  at: string;
  reason: string | null;
}

/** What the provider says of a payment. */
export type PaymentView = Omit<Payment, 'callbackUrl'>;

/** The provider's books: what was asked, and whose money was taken. */
export class PaymentBook {
  readonly payments: Payment[] = [];
  readonly #voidedReferences = new Set<string>();

  open(request: PaymentRequest): Payment {
    const wasVoided = this.#voidedReferences.has(request.reference);
    const payment: Payment = {
      ...request,
      paymentId: `pay_${randomUUID()}`,
      status: wasVoided ? 'voided' : 'pending',
      at: new Date().toISOString(),
      reason: wasVoided ? 'voided before it was asked for' : null,
    };
    this.payments.push(payment);
    return payment;
  }

  /** Decides a payment that is still pending; says whether it did. */
  decide(payment: Payment, status: 'succeeded' | 'declined' | 'voided', reason?: string): boolean {
    if (payment.status !== 'pending') return false;
    payment.status = status;
    payment.at = new Date().toISOString();
    payment.reason = reason ?? null;
    return true;
  }

  /** Voids what is not paid; a payment of this reference that comes later finds itself voided. */
  void(reference: string): Pick<Payment, 'status' | 'at'> & Partial<PaymentView> {
    const found = this.payments.filter((payment) => payment.reference === reference);
    const paid = found.find(({ status }) => status === 'succeeded');
    if (paid !== undefined) return viewOf(paid);
    this.#voidedReferences.add(reference);
    for (const payment of found) this.decide(payment, 'voided');
    const last = found.at(-1);
    return last === undefined
      ? { status: 'voided', at: new Date().toISOString(), reference }
      : viewOf(last);
  }

  /** All money taken. */
  taken(): number {
    return this.payments
      .filter(({ status }) => status === 'succeeded')
      .reduce((sum, { amount }) => sum + amount, 0);
  }

  clear(): void {
    this.payments.length = 0;
    this.#voidedReferences.clear();
  }
}

export function viewOf(payment: Payment): PaymentView {
  const { paymentId, reference, amount, currency, status, at, reason } = payment;
  return { paymentId, reference, amount, currency, status, at, reason };
}

/** Parses JSON text as the schema; throws, naming the field, otherwise. */
export function parseAs<Schema extends Type.TSchema>(schema: Schema, text: string): Static<Schema> {
  const value: unknown = JSON.parse(text);
  if (Value.Check(schema, value)) return value;
  const [problem] = Value.Errors(schema, value);
  throw new Error(`${problem?.instancePath ?? ''} ${problem?.message ?? 'is not valid'}`);
}
