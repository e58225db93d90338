import { Type } from 'typebox';
import type { FailureCode } from '../jobs/failure-codes.ts';
import { findOrder, releaseOrder } from '../jobs/store/orders.ts';
import { defineTask } from './runtime/define-task.ts';
import { orderChanged, paymentOutcome, seenOrder } from './runtime/order-state.ts';

/**
 * Gives the stock of an unpaid order back, once, and ends its payment attempt. Gives the cause with which the
 * machine's Fail state ends the job: JSON {code, state, message}, as tasks write it.
 */
export const handler = defineTask(
  'release-stock',
  async ({ job, fence, sql }, { order: seen, payment }) => {
    const outcome = payment.outcome === 'declined' ? 'declined' : 'voided';
    const released = await releaseOrder(sql, fence, seen, outcome);
    if (released === undefined) {
      const now = await findOrder(sql, job.tenantId, seen.orderId);
      const doneBefore = now?.status === 'RELEASED' && now.version === seen.version + 1;
      if (!doneBefore) throw orderChanged(seen, now);
    }
    const code: FailureCode = outcome === 'declined' ? 'PAYMENT_DECLINED' : 'PAYMENT_TIMED_OUT';
    const what =
      outcome === 'declined'
        ? `the payment was declined (${payment.reason ?? 'no reason was given'})`
        : 'nobody paid in time and the payment was voided';
    const message = `${what}; the stock of order ${seen.orderId} was released`;
    return { cause: JSON.stringify({ code, state: 'NotPaid', message }) };
  },
  Type.Object({ order: seenOrder, payment: paymentOutcome }),
);
