import { Type } from 'typebox';
import { Terminal } from '../jobs/failure.ts';
import { findOrder, markPaid, type Order } from '../jobs/store/orders.ts';
import { defineTask } from './runtime/define-task.ts';
import { orderChanged, paymentOutcome, seenOrder } from './runtime/order-state.ts';

/** Marks the order paid, in the version that was reserved; repeated, it answers as it did the first time. */
export const handler = defineTask(
  'mark-paid',
  async ({ job, fence, sql }, { order: seen, payment }) => {
    const standing = await findOrder(sql, job.tenantId, seen.orderId);
    if (standing === undefined) throw orderChanged(seen, standing);
    const { reference, amount, currency } = payment;
    if (amount !== standing.amount || currency !== standing.currency) {
      throw new Terminal(
        'PAYMENT_MISMATCH',
        `payment ${reference} is ${amount} ${currency}; order ${standing.orderId} asked for ${standing.amount} ${standing.currency}`,
      );
    }
    const paid = await markPaid(sql, fence, seen, payment);
    if (paid !== undefined) return resultOf(paid);
    const now = await findOrder(sql, job.tenantId, seen.orderId);
    if (now?.status === 'PAID' && now.paymentReference === reference) return resultOf(now);
    throw orderChanged(seen, now);
  },
  Type.Object({ order: seenOrder, payment: paymentOutcome }),
);

/** The job's result. */
export const resultOf = ({ orderId, amount, paymentReference, paidAt }: Order) => ({
  orderId,
  amount,
  paymentReference,
  paidAt,
});
