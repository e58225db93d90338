import type { Static } from 'typebox';
import type { EmailConfig } from '../config.ts';
import type { JobId, TenantId } from '../ids.ts';
import { sendMail } from '../mail-effect.ts';
import type { Sql } from '../store/connect.ts';
import { findOrder } from '../store/orders.ts';
import type { catalogue } from './catalogue.ts';
import type { EventHandler } from './handle-event.ts';
import type { ReceivedEvent } from './read-event.ts';

type Data = Static<(typeof catalogue)['notification.requested']['data']>;

/** The event types that the rule brings to the queue of notifications. */
export const notifyingEvents = ['notification.requested'] as const;

/**
 * Sends the mails that events ask for, once in effect. An archive that is replayed sends nothing: mails are for
 * people, who read them once.
 */
export const notifications = (sql: Sql, email: EmailConfig): EventHandler => ({
  name: 'notifications',
  onReplay: 'skip',
  handle: async (event) => {
    const data = event.data as Data; // checked against the catalogue when it was read
    const tenantId = event.tenantId as TenantId;
    const order = await findOrder(sql, tenantId, data.orderId);
    if (order === undefined) return 'the order is gone';
    const { replayed } = await sendMail(
      { sql, email, tenantId, fence: fenceOf(event), outlivesJob: true },
      {
        key: `order:${data.orderId}:not-paid-email:${data.paymentAttempt}`,
        operation: 'order.not-paid',
        to: order.customerEmail,
        subject: `Your order ${data.orderId} was not paid`,
        text: [
          `The payment for your order ${data.orderId} did not come through, so nothing was charged`,
          'and what we had set aside for you is back on the shelf. You are welcome to order again.',
          '',
        ].join('\n'),
      },
    );
    return replayed ? 'sent before' : 'sent';
  },
});

/** The job that asked, by whose row the effect is shown; it may have ended long ago. */
const fenceOf = ({ causationId }: ReceivedEvent) => ({
  jobId: causationId as JobId,
  executionName: causationId,
  redriveCount: 0,
});
