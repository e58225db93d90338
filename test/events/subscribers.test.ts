import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { pino } from 'pino';
import { type EventHandler, handleEvent } from '../../jobs/events/handle-event.ts';
import { searchProjection } from '../../jobs/events/search-projection.ts';
import type { TenantId } from '../../jobs/ids.ts';
import { search } from '../../jobs/store/search-entries.ts';
import { connectTest } from '../support/connect-test.ts';

const sql = await connectTest();
const deps = { sql, log: pino({ level: 'silent' }), random: Math.random };
const acme = 'acme' as TenantId;

type Told = { readonly id: string; readonly version: number; readonly status: string };

const orderEvent = ({ id, version, status }: Told, extras: Record<string, unknown> = {}) => ({
  source: 'pawl',
  'detail-type': 'stock.reserved',
  ...extras,
  detail: {
    eventId: randomUUID(),
    type: 'stock.reserved',
    version: 1,
    occurredAt: new Date().toISOString(),
    tenantId: acme,
    aggregate: { type: 'order', id, version },
    correlationId: 'test',
    causationId: 'test',
    producer: 'order-settlement',
    data: {
      orderId: id,
      status,
      amount: 149_000,
      currency: 'IDR',
      items: [{ sku: 'serum-30', quantity: 1, unitPrice: 149_000 }],
      paymentAttempt: 1,
      paymentReference: null,
      paidAt: null,
    },
  },
});

const deliver = (handler: EventHandler, body: unknown) =>
  handleEvent(deps, handler, {
    queue: 'search-projection',
    sqsMessageId: randomUUID(),
    body: typeof body === 'string' ? body : JSON.stringify(body),
    attributes: {},
    receiveCount: 1,
  });

const statusOf = async (id: string): Promise<unknown> => {
  const [entry] = await search(sql, acme, { words: [id], kind: 'order', limit: 1 });
  return Object(entry?.facts).status;
};

test('events of an order that come in the wrong order leave the newest standing', async () => {
  const projection = searchProjection(sql);
  const second = await deliver(projection, orderEvent({ id: 'o-1', version: 2, status: 'PAID' }));
  const first = await deliver(
    projection,
    orderEvent({ id: 'o-1', version: 1, status: 'RESERVED' }),
  );
  assert.deepEqual(second, { kind: 'done', outcome: 'stored' });
  assert.deepEqual(first, { kind: 'done', outcome: 'a newer one is stored' });
  assert.equal(await statusOf('o-1'), 'PAID');
});

test('an event that is delivered again is not handled again', async () => {
  let handled = 0;
  const counting: EventHandler = {
    name: 'counting',
    onReplay: 'skip',
    handle: async () => `the ${(handled += 1)}. time`,
  };
  const event = orderEvent({ id: 'o-2', version: 1, status: 'RESERVED' });
  assert.deepEqual(await deliver(counting, event), { kind: 'done', outcome: 'the 1. time' });
  assert.deepEqual(await deliver(counting, event), { kind: 'done', outcome: 'handled before' });
  const replay = { ...event, 'replay-name': 'after-the-fire' };
  assert.deepEqual(await deliver(counting, replay), {
    kind: 'done',
    outcome: 'skipped: replay after-the-fire',
  });
  assert.equal(handled, 1);
});

test('a replay builds the projection anew', async () => {
  const projection = searchProjection(sql);
  const event = orderEvent({ id: 'o-3', version: 1, status: 'RESERVED' });
  await deliver(projection, event);
  await sql`delete from search_entries`;
  assert.deepEqual(await deliver(projection, event), { kind: 'done', outcome: 'handled before' });
  assert.equal(await statusOf('o-3'), undefined);
  await deliver(projection, { ...event, 'replay-name': 'rebuild' });
  assert.equal(await statusOf('o-3'), 'RESERVED');
});

test('what is no event, or of another version, is quarantined and does not come back', async () => {
  const projection = searchProjection(sql);
  const event = orderEvent({ id: 'o-4', version: 1, status: 'RESERVED' });
  const cases = [
    ['not JSON', 'MESSAGE_MALFORMED'],
    [{ ...event, detail: { ...event.detail, type: 'order.dreamt' } }, 'MESSAGE_TYPE_UNKNOWN'],
    [{ ...event, detail: { ...event.detail, version: 9 } }, 'SCHEMA_VERSION_UNKNOWN'],
    [{ ...event, detail: { ...event.detail, data: { orderId: 'o-4' } } }, 'MESSAGE_MALFORMED'],
  ] as const;
  for (const [body, code] of cases) {
    assert.deepEqual(await deliver(projection, body), { kind: 'done', outcome: code });
  }
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from quarantined_messages where queue = 'search-projection'`;
  assert.equal(row?.count, 4);
});

test('words are found as they stand, with no sign of LIKE among them', async () => {
  await deliver(searchProjection(sql), orderEvent({ id: 'a_b.c', version: 1, status: 'RESERVED' }));
  const found = async (...words: string[]) =>
    (await search(sql, acme, { words, kind: null, limit: 10 })).map(({ id }) => id);
  assert.deepEqual(await found('A_B', 'serum'), ['a_b.c']);
  assert.deepEqual(await found('a%c'), []);
  assert.deepEqual(await found('axb'), []);
  const others = await search(sql, 'other' as TenantId, { words: ['a_b'], kind: null, limit: 9 });
  assert.equal(others.length, 0);
});
