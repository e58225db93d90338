// From the statement that does it, over the bus, to the subscribers: all of Pawl.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { EventEnvelope } from '../../jobs/events/catalogue.ts';
import { checkData } from '../../jobs/events/read-event.ts';
import { openShop, serum } from '../order-settlement/shop.ts';
import { runSample, samplesOf } from '../../local/sample-jobs.ts';
import { waitFor } from '../support/wait-for.ts';

const shop = await openShop();
const runtime = shop.pawl.runtime();
const eventBridge = new EventBridgeClient({
  region: 'us-east-1',
  endpoint: runtime.endpoints.eventbridge,
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});
after(async () => {
  eventBridge.destroy();
  await shop.close();
});

type Row = { readonly envelope: EventEnvelope; readonly published: boolean };

const eventsOf = async (jobId: string): Promise<readonly Row[]> =>
  await shop.sql<Row[]>`
    select envelope, published_at is not null as published from outbox
    where destination = 'event-bus' and job_id = ${jobId} order by created_at`;

async function publishedOf(jobId: string): Promise<readonly EventEnvelope[]> {
  return await waitFor(
    async () => {
      const rows = await eventsOf(jobId);
      const done = rows.length > 0 && rows.every(({ published }) => published);
      return done ? rows.map(({ envelope }) => envelope) : undefined;
    },
    10_000,
    'all events to be published',
  );
}

const find = async (
  words: string,
): Promise<readonly { id: string; facts: { status?: string } }[]> => {
  const { body } = await shop.call('GET', `/search?q=${encodeURIComponent(words)}`);
  return (body as { entries: { id: string; facts: { status?: string } }[] }).entries;
};

test('a paid order tells what happened to it, as the catalogue says, and is found by its words', async () => {
  const jobId = await shop.order('told', [serum(1)]);
  await shop.settled(jobId);
  const events = await publishedOf(jobId);
  for (const event of events) checkData(event);
  assert.deepEqual(events.map(({ type }) => type).sort(), [
    'job.succeeded',
    'order.created',
    'payment.succeeded',
    'stock.reserved',
  ]);
  assert.equal(new Set(events.map(({ eventId }) => eventId)).size, 4);
  assert.ok(new Set(events.map(({ correlationId }) => correlationId)).size === 1);
  await waitFor(
    async () => (await find('told serum-30'))[0]?.facts.status === 'PAID',
    10_000,
    'the order to be found as PAID',
  );
});

test('a document is found by its title', async () => {
  const [sample] = samplesOf(randomUUID());
  const job = await runSample(runtime, sample);
  const events = await publishedOf(job.jobId);
  for (const event of events) checkData(event);
  assert.deepEqual(events.map(({ type }) => type).sort(), ['document.stored', 'job.succeeded']);
  await waitFor(async () => (await find('ratchet HANDBOOK')).length === 1, 10_000, 'the document');
});

test('an order that is not paid sends the customer one mail, whatever the bus delivers again or replays', async () => {
  await shop.pay({ confirm: 'declined', times: 1 });
  const jobId = await shop.order('not-paid', [serum(1)]);
  assert.equal((await shop.settled(jobId)).failure?.code, 'PAYMENT_DECLINED');
  const events = await publishedOf(jobId);
  for (const event of events) checkData(event);
  assert.deepEqual(events.map(({ type }) => type).sort(), [
    'job.failed',
    'notification.requested',
    'order.created',
    'payment.declined',
    'stock.released',
    'stock.reserved',
  ]);
  await waitFor(async () => (await shop.mailsTo('not-paid')).length === 1, 10_000, 'the mail');
  const asked = events.find(({ type }) => type === 'notification.requested');
  // The very same event once more, and another one that asks for the same mail.
  for (const eventId of [asked?.eventId, randomUUID()]) {
    const Detail = JSON.stringify({ ...asked, eventId });
    await eventBridge.send(
      new PutEventsCommand({
        Entries: [{ Source: 'pawl', DetailType: 'notification.requested', Detail }],
      }),
    );
  }
  await waitFor(
    () =>
      ['handled before', 'sent before'].every((outcome) => shop.log('worker').includes(outcome)),
    10_000,
    'both to be handled',
  );
  const mails = await shop.mailsTo('not-paid');
  assert.equal(mails.length, 1);
  assert.match(mails[0]?.headers['subject'] ?? '', /not-paid was not paid/);
});
