import { Type } from 'typebox';
import { Terminal } from '../jobs/failure.ts';
import { findOrder, type Order } from '../jobs/store/orders.ts';
import { defineTask } from './runtime/define-task.ts';

/** Tells the customer by mail that the order is paid, once in effect. */
export const handler = defineTask(
  'send-confirmation',
  async ({ job, sql, sendMail }, { paid }) => {
    const order = await findOrder(sql, job.tenantId, paid.orderId);
    if (order?.status !== 'PAID') {
      throw new Terminal(
        'ORDER_CONFLICT',
        `order ${paid.orderId} is ${order?.status ?? 'gone'}, not PAID`,
      );
    }
    const { replayed } = await sendMail({
      key: `order:${order.orderId}:confirmation-email`,
      operation: 'order.confirmation',
      to: order.customerEmail,
      subject: `Your order ${order.orderId} is paid`,
      text: confirmation(order),
    });
    return { replayed };
  },
  Type.Object({
    paid: Type.Object({
      orderId: Type.String(),
      amount: Type.Integer(),
      paymentReference: Type.String(),
      paidAt: Type.String(),
    }),
  }),
);

function confirmation(order: Order): string {
  const rupiah = (amount: number): string => `Rp ${amount.toLocaleString('id-ID')}`;
  return [
    `Thank you. We have received your payment of ${rupiah(order.amount)} for order ${order.orderId}.`,
    '',
    ...order.items.map(
      ({ sku, quantity, unitPrice }) => `  ${quantity} x ${sku}  ${rupiah(quantity * unitPrice)}`,
    ),
    '',
    `Payment: ${order.paymentReference ?? ''}, ${order.paidAt ?? ''}`,
    '',
  ].join('\n');
}
