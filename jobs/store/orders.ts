import type { PendingQuery, Row } from 'postgres';
import type { CallbackId, JobId, TenantId } from '../ids.ts';
import { settling } from './callbacks.ts';
import type { EventType } from '../events/catalogue.ts';
import type { Sql } from './connect.ts';
import { announcing } from './events.ts';
import { type Fence, heldBy } from './open-run.ts';

export type OrderItem = {
  readonly sku: string;
  readonly quantity: number;
  readonly unitPrice: number;
};

/** An order as its job asks for it; one line a sku. */
export type NewOrder = {
  readonly orderId: string;
  readonly customerEmail: string;
  readonly currency: string;
  readonly amount: number;
  readonly items: readonly OrderItem[];
  /** Of everything above: the same order again is the same hash. */
  readonly contentHash: string;
};

export type Order = NewOrder & {
  readonly tenantId: TenantId;
  readonly version: number;
  readonly status: 'RESERVED' | 'PAID' | 'RELEASED';
  readonly jobId: JobId;
  readonly paymentAttempt: number;
  readonly callbackId: CallbackId;
  readonly paymentReference: string | null;
  /** ISO 8601 in UTC, to the millisecond. */
  readonly paidAt: string | null;
};

/** Why an item could not be reserved: `available` and `listPrice` are null where the sku is unknown. */
export type Shortfall = {
  readonly sku: string;
  readonly quantity: number;
  readonly unitPrice: number;
  readonly available: number | null;
  readonly listPrice: number | null;
};

export async function findOrder(
  sql: Sql,
  tenantId: TenantId,
  orderId: string,
): Promise<Order | undefined> {
  const [row] = await sql<Order[]>`
    select ${columns(sql)} from orders where tenant_id = ${tenantId} and order_id = ${orderId}`;
  return row;
}

/**
 * Sets the stock of all items aside and places the order, or does neither: one statement. The rows of the stock are
 * locked in the order of their skus, so that orders at the same moment queue up instead of overselling or
 * deadlocking. An order that was released is placed anew, as its next payment attempt; one that stands is left alone.
 *
 * Gives the order where it was placed; else what is short, which may be nothing (the order stands already, or the
 * fence does not hold).
 */
export async function placeOrder(
  sql: Sql,
  fence: Fence,
  order: NewOrder,
  callbackId: CallbackId,
): Promise<{ readonly order: Order | undefined; readonly short: readonly Shortfall[] }> {
  const [row] = await sql<{ placed: Order | null; short: Shortfall[] | null }[]>`
    with fence as (${heldBy(sql, fence)}),
    wanted as (
      select sku, quantity, "unitPrice" as unit_price
      from jsonb_to_recordset(${sql.json([...order.items])}) as item (sku text, quantity integer, "unitPrice" bigint)
    ),
    shelf as (
      select stock.sku, available, stock.unit_price from stock join wanted using (sku)
      order by stock.sku for update of stock
    ),
    short as (
      select wanted.sku, quantity, wanted.unit_price as "unitPrice", available, shelf.unit_price as "listPrice"
      from wanted left join shelf using (sku)
      where shelf.sku is null or shelf.unit_price <> wanted.unit_price or available < quantity
    ),
    placed as (
      insert into orders as stored (tenant_id, order_id, status, job_id, content_hash, customer_email, currency,
                                    amount, items, callback_id)
      select tenant_id, ${order.orderId}, 'RESERVED', job_id, ${order.contentHash}, ${order.customerEmail},
             ${order.currency}, ${order.amount}, ${sql.json([...order.items])}, ${callbackId}
      from fence where not exists (select from short)
      on conflict (tenant_id, order_id) do update set
        status = 'RESERVED', version = stored.version + 1, job_id = excluded.job_id,
        content_hash = excluded.content_hash, customer_email = excluded.customer_email,
        currency = excluded.currency, amount = excluded.amount, items = excluded.items,
        payment_attempt = stored.payment_attempt + 1, callback_id = excluded.callback_id, updated_at = now()
      where stored.status = 'RELEASED'
      returning *
    ),
    taken as (
      update stock set available = stock.available - wanted.quantity, updated_at = now()
      from wanted, placed where stock.sku = wanted.sku
    ),
    created as (${announced(sql, 'order.created', sql`placed where version = 1`)}),
    reserved as (${announced(sql, 'stock.reserved', sql`placed`)})
    select (select to_jsonb(o) from (select ${columns(sql)} from placed) as o) as placed,
           (select jsonb_agg(to_jsonb(short) order by sku) from short) as short`;
  return { order: row?.placed ?? undefined, short: row?.short ?? [] };
}

/** Which order, as it was seen. */
export type SeenOrder = {
  readonly orderId: string;
  readonly version: number;
};

export type Payment = { readonly reference: string; readonly at: string };

/** Marks the order paid, where it is RESERVED in this version, and settles its callback. */
export async function markPaid(
  sql: Sql,
  fence: Fence,
  seen: SeenOrder,
  payment: Payment,
): Promise<Order | undefined> {
  const [row] = await sql<Order[]>`
    with fence as (${heldBy(sql, fence)}),
    paid as (
      update orders set status = 'PAID', version = version + 1, payment_reference = ${payment.reference},
                        paid_at = ${payment.at}::timestamptz, updated_at = now()
      from fence
      where orders.tenant_id = fence.tenant_id and order_id = ${seen.orderId} and version = ${seen.version}
        and status = 'RESERVED'
      returning orders.*
    ),
    settled as (
      ${settling(sql, sql`(select ${paymentKey(sql)} from paid)`, 'succeeded')}
    ),
    announced as (${announced(sql, 'payment.succeeded', sql`paid`)})
    select ${columns(sql)} from paid`;
  return row;
}

/** Gives the stock of an order back that will not be paid, where it is RESERVED in this version. */
export async function releaseOrder(
  sql: Sql,
  fence: Fence,
  seen: SeenOrder,
  outcome: 'declined' | 'voided',
): Promise<Order | undefined> {
  const [row] = await sql<Order[]>`
    with fence as (${heldBy(sql, fence)}),
    released as (
      update orders set status = 'RELEASED', version = version + 1, updated_at = now()
      from fence
      where orders.tenant_id = fence.tenant_id and order_id = ${seen.orderId} and version = ${seen.version}
        and status = 'RESERVED'
      returning orders.*
    ),
    back as (
      select stock.sku, item.quantity
      from released, jsonb_to_recordset(items) as item (sku text, quantity integer) join stock using (sku)
      order by stock.sku for update of stock
    ),
    restocked as (
      update stock set available = stock.available + back.quantity, updated_at = now()
      from back where stock.sku = back.sku
    ),
    settled as (
      ${settling(sql, sql`(select ${paymentKey(sql)} from released)`, outcome)}
    ),
    ended as (${announced(sql, `payment.${outcome}`, sql`released`)}),
    announced as (${announced(sql, 'stock.released', sql`released`)}),
    notified as (${announced(
      sql,
      'notification.requested',
      sql`released`,
      sql`jsonb_build_object('notification', 'order-not-paid', 'orderId', order_id, 'paymentAttempt', payment_attempt)`,
    )})
    select ${columns(sql)} from released`;
  return row;
}

/** The events about an order tell how it stands now. */
const standing = (sql: Sql) => sql`jsonb_build_object(
  'orderId', order_id, 'status', status, 'amount', amount, 'currency', currency, 'items', items,
  'paymentAttempt', payment_attempt, 'paymentReference', payment_reference,
  'paidAt', to_char(paid_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`;

/** The statement part that announces a change of an order; `rows` is what the change gave. */
const announced = (
  sql: Sql,
  type: EventType,
  rows: PendingQuery<Row[]>,
  data = standing(sql),
): PendingQuery<Row[]> =>
  announcing(
    sql,
    type,
    sql`select tenant_id, job_id, order_id as aggregate_id, version as aggregate_version, ${data} as data from ${rows}`,
  );

/** The effect key of the order's payment attempt: a decline or a void ends it, a restart opens the next. */
export const paymentKeyOf = (order: Pick<Order, 'orderId' | 'paymentAttempt'>): string =>
  `order:${order.orderId}:payment:${order.paymentAttempt}`;

const paymentKey = (sql: Sql) => sql`'order:' || order_id || ':payment:' || payment_attempt`;

const columns = (sql: Sql) => sql`
  tenant_id as "tenantId", order_id as "orderId", version, status, job_id as "jobId",
  content_hash as "contentHash", customer_email as "customerEmail", currency, amount::float8 as amount, items,
  payment_attempt as "paymentAttempt", callback_id as "callbackId", payment_reference as "paymentReference",
  to_char(paid_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "paidAt"`;
