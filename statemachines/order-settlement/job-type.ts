import { Type } from 'typebox';
import { defineJobType } from '../job-type.ts';

const item = Type.Object(
  {
    sku: Type.String({ minLength: 1, maxLength: 100, pattern: '^[A-Za-z0-9._-]+$' }),
    quantity: Type.Integer({ minimum: 1, maximum: 10_000 }),
    /** What the customer was shown, in whole rupiah; another price than the list's is PRICE_CHANGED. */
    unitPrice: Type.Integer({ minimum: 1, maximum: 1_000_000_000 }),
  },
  { additionalProperties: false },
);

export const inputSchema = Type.Object(
  {
    /** Part of effect keys and of the payment's reference. */
    orderId: Type.String({ minLength: 1, maxLength: 100, pattern: '^[A-Za-z0-9._-]+$' }),
    customerEmail: Type.String({ maxLength: 254, pattern: '^[^\\s@<>",;]+@[^\\s@<>",;]+$' }),
    currency: Type.Literal('IDR'),
    items: Type.Array(item, { minItems: 1, maxItems: 100 }),
  },
  { additionalProperties: false },
);

export default defineJobType({
  type: 'order-settlement',
  description:
    'Sets stock aside for an order, takes the payment, confirms it by mail; undoes what it did where nobody pays.',
  inputSchema,
  payload: 'none',
  maxPayloadBytes: 0,
  timeoutSeconds: 7200,
  afterFailure: 'continue',
  stoppable: 'until-started',
  tasks: [
    { name: 'mark-running', timeoutSeconds: 20, memoryMb: 512 },
    { name: 'reserve-stock', timeoutSeconds: 20, memoryMb: 512 },
    { name: 'request-payment', timeoutSeconds: 20, memoryMb: 512 },
    { name: 'void-payment', timeoutSeconds: 20, memoryMb: 512 },
    { name: 'mark-paid', timeoutSeconds: 20, memoryMb: 512 },
    { name: 'release-stock', timeoutSeconds: 20, memoryMb: 512 },
    { name: 'send-confirmation', timeoutSeconds: 20, memoryMb: 512 },
    { name: 'mark-succeeded', timeoutSeconds: 20, memoryMb: 512 },
  ],
  effects: [
    { provider: 'payment', operation: 'payment.request' },
    { provider: 'payment', operation: 'payment.void' },
    { provider: 'email', operation: 'order.confirmation' },
  ],
});
