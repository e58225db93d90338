import { type Static, Type } from 'typebox';
import { Terminal } from '../../jobs/failure.ts';
import type { TenantId } from '../../jobs/ids.ts';
import type { Sql } from '../../jobs/store/connect.ts';
import { findOrder, type Order, paymentKeyOf } from '../../jobs/store/orders.ts';

/** What order-settlement's states pass on of the order: which, and as it was seen. */
export const seenOrder = Type.Object({
  orderId: Type.String(),
  version: Type.Integer(),
  paid: Type.Boolean(),
  result: Type.Null(),
  windowSeconds: Type.Integer(),
});
type SeenOrder = Static<typeof seenOrder>;

/** How a payment stands, as MarkPaid and ReleaseStock get it: the webhook's answer, or what the void came to. */
export const paymentOutcome = Type.Object({
  outcome: Type.Enum(['succeeded', 'declined', 'voided']),
  reference: Type.String(),
  amount: Type.Integer(),
  currency: Type.String(),
  at: Type.String(),
  reason: Type.Union([Type.String(), Type.Null()]),
});
export type PaymentOutcome = Static<typeof paymentOutcome>;

/** The order, where it is RESERVED as it was seen; throws Terminal ORDER_CONFLICT where it is not. */
export async function findSeenOrder(sql: Sql, tenantId: TenantId, seen: SeenOrder): Promise<Order> {
  const order = await findOrder(sql, tenantId, seen.orderId);
  if (order !== undefined && isAsSeen(seen, order)) return order;
  throw orderChanged(seen, order);
}

const isAsSeen = (seen: SeenOrder, { status, version }: Order): boolean =>
  status === 'RESERVED' && version === seen.version;

/** Why a write did nothing: the order is another one by now, or else the job has moved on. */
export const orderChanged = (seen: SeenOrder, order: Order | undefined): Terminal =>
  order !== undefined && isAsSeen(seen, order)
    ? new Terminal('JOB_NOT_RUNNABLE', 'the job is not open under its execution any more')
    : new Terminal(
        'ORDER_CONFLICT',
        `order ${seen.orderId} was reserved in version ${seen.version}; it is ${order?.status ?? 'gone'} in version ${order?.version ?? '?'}`,
      );

/** What the provider knows a payment attempt by, so that it can be voided whatever became of the request. */
export const paymentReference = (order: Order): string =>
  `${order.tenantId}/${paymentKeyOf(order)}`;

export const paymentHeaders = (apiKey: string | undefined): Record<string, string> => ({
  'content-type': 'application/json',
  'user-agent': 'Pawl',
  ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
});
