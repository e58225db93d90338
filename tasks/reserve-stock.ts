import { canonicalHash } from '../jobs/canonical-json.ts';
import { Terminal } from '../jobs/failure.ts';
import { newCallbackId } from '../jobs/ids.ts';
import {
  findOrder,
  type NewOrder,
  type Order,
  placeOrder,
  type Shortfall,
} from '../jobs/store/orders.ts';
import { inputSchema } from '../statemachines/order-settlement/job-type.ts';
import { resultOf } from './mark-paid.ts';
import { defineTask } from './runtime/define-task.ts';
import { inputReader } from './runtime/job-input.ts';

const inputOf = inputReader(inputSchema);
type Input = ReturnType<typeof inputOf>;

/**
 * Sets the order's stock aside and places the order, all of it or nothing. Throws Terminal SKU_UNKNOWN, PRICE_CHANGED,
 * OUT_OF_STOCK, ORDER_CONFLICT. An order that is paid already comes out with its result, to be confirmed only.
 */
export const handler = defineTask('reserve-stock', async ({ job, fence, sql, config }) => {
  const wanted = orderOf(inputOf(job));
  const { tenantId, jobId } = job;
  const standing = await findOrder(sql, tenantId, wanted.orderId);
  if (standing === undefined || standing.status === 'RELEASED') {
    const { order, short } = await placeOrder(sql, fence, wanted, newCallbackId());
    if (order !== undefined) return output(order, config.payment.windowSeconds);
    if (short.length > 0) throw shortage(short);
  }
  const order = await findOrder(sql, tenantId, wanted.orderId);
  if (order === undefined || order.status === 'RELEASED') {
    throw new Terminal('JOB_NOT_RUNNABLE', 'the job moved on while its stock was reserved');
  }
  if (order.contentHash !== wanted.contentHash) {
    throw new Terminal(
      'ORDER_CONFLICT',
      `order ${order.orderId} of job ${order.jobId} is ${order.status} with other content`,
    );
  }
  if (order.status === 'RESERVED' && order.jobId !== jobId) {
    throw new Terminal(
      'ORDER_CONFLICT',
      `order ${order.orderId} is being settled by job ${order.jobId}`,
    );
  }
  return output(order, config.payment.windowSeconds);
});

const output = (order: Order, windowSeconds: number) => ({
  orderId: order.orderId,
  version: order.version,
  paid: order.status === 'PAID',
  result: order.status === 'PAID' ? resultOf(order) : null,
  windowSeconds,
});

/** One line a sku, in their order: two lines of one sku are one. */
function orderOf({ orderId, customerEmail, currency, items }: Input): NewOrder {
  const lines = new Map<string, NewOrder['items'][number]>();
  for (const { sku, quantity, unitPrice } of items) {
    const line = lines.get(sku);
    if (line !== undefined && line.unitPrice !== unitPrice) {
      throw new Terminal('PRICE_CHANGED', `the order names two unit prices for ${sku}`);
    }
    lines.set(sku, { sku, unitPrice, quantity: quantity + (line?.quantity ?? 0) });
  }
  const merged = [...lines.values()].sort((a, b) => (a.sku < b.sku ? -1 : 1));
  const amount = merged.reduce((sum, { quantity, unitPrice }) => sum + quantity * unitPrice, 0);
  const content = { orderId, customerEmail, currency, amount, items: merged };
  return { ...content, contentHash: canonicalHash(content) };
}

/** The worst first: what no stock and no time mends. */
function shortage(short: readonly Shortfall[]): Terminal {
  const unknown = short.filter(({ available }) => available === null);
  if (unknown.length > 0) {
    return new Terminal(
      'SKU_UNKNOWN',
      `not in the stock list: ${unknown.map(({ sku }) => sku).join(', ')}`,
    );
  }
  const repriced = short.filter(({ listPrice, unitPrice }) => listPrice !== unitPrice);
  if (repriced.length > 0) {
    const changes = repriced.map(
      ({ sku, unitPrice, listPrice }) => `${sku} is ${listPrice}, the order says ${unitPrice}`,
    );
    return new Terminal('PRICE_CHANGED', changes.join('; '));
  }
  const missing = short.map(
    ({ sku, available, quantity }) => `${sku}: ${available} of ${quantity}`,
  );
  return new Terminal('OUT_OF_STOCK', `too little in stock: ${missing.join('; ')}`);
}
