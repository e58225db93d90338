// The archive, the replay, and both fan-outs: all of Pawl, and the command line against it.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { EventBridgeClient, PutTargetsCommand } from '@aws-sdk/client-eventbridge';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { runSample, samplesOf } from '../../local/sample-jobs.ts';
import { openShop, serum } from '../order-settlement/shop.ts';
import { runCli } from '../support/run-cli.ts';
import { waitFor } from '../support/wait-for.ts';

const shop = await openShop();
const { sql } = shop;
const runtime = shop.pawl.runtime();
const account = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
};
const eventBridge = new EventBridgeClient({
  ...account,
  endpoint: runtime.endpoints.eventbridge,
});
const sqs = new SQSClient({
  ...account,
  endpoint: runtime.endpoints.sqs,
  useQueueUrlAsEndpoint: false,
});
after(async () => {
  eventBridge.destroy();
  sqs.destroy();
  await shop.close();
});

const pawl = (args: readonly string[]) => runCli(runtime, args);

type Entry = {
  readonly kind: string;
  readonly id: string;
  readonly version: string;
  readonly facts: unknown;
};
const entries = async (): Promise<readonly Entry[]> =>
  await sql<Entry[]>`
    select kind, entity_id as id, version, facts from search_entries order by kind, entity_id`;

const allPublished = async (jobIds: readonly string[]): Promise<boolean> => {
  const [row] = await sql<{ open: number; ended: number }[]>`
    select count(*) filter (where published_at is null)::integer as open,
           count(*) filter (where message_type like 'job.%')::integer as ended
    from outbox where destination = 'event-bus' and job_id in (select value::uuid from jsonb_array_elements_text(${sql.json([...jobIds])}))`;
  return row?.open === 0 && row.ended === jobIds.length;
};

const replayed = async (name: string): Promise<{ lastReplayedAt: string | null }> =>
  await waitFor(
    async () => {
      const { replays } = JSON.parse((await pawl(['events', 'list'])).out);
      return replays.find(
        (replay: { name: string; state: string }) =>
          replay.name === name && replay.state === 'COMPLETED',
      );
    },
    30_000,
    `the replay ${name}`,
  );

test('the projection is rebuilt by a replay after its rows are lost, and no mail is sent twice', async () => {
  const from = new Date(Date.now() - 60_000).toISOString();
  const [document] = samplesOf(randomUUID());
  const jobs = [(await runSample(runtime, document)).jobId];
  jobs.push(await shop.order('paid', [serum(1)]));
  await shop.settled(jobs[1] ?? '');
  await shop.pay({ confirm: 'declined', times: 1 });
  jobs.push(await shop.order('declined', [serum(2)]));
  await shop.settled(jobs[2] ?? '');
  await waitFor(async () => (await shop.mailsTo('declined')).length === 1, 30_000, 'the mail');
  await waitFor(() => allPublished(jobs), 30_000, 'all events to be published');
  await waitFor(
    async () => {
      const found = await entries();
      const versions = found.map(({ id, version }) => `${id} ${version}`);
      return found.length === 3 && versions.includes('paid 2') && versions.includes('declined 2');
    },
    30_000,
    'the projection',
  );
  const before = await entries();
  await sql`delete from search_entries`;

  const started = await pawl([
    'events',
    'replay',
    '--from',
    from,
    '--name',
    'rebuild',
    '--reason',
    'rows were lost',
    '--rule',
    'pawl-search-projection',
    '--rule',
    'pawl-notifications',
  ]);
  assert.equal(started.code, 0, started.err);
  await replayed('rebuild');
  await waitFor(async () => (await entries()).length === before.length, 30_000, 'the rebuild');
  await waitFor(
    () => shop.log('worker').includes('skipped: replay rebuild'),
    30_000,
    'notifications to skip it',
  );
  await waitFor(
    async () => JSON.stringify(await entries()) === JSON.stringify(before),
    30_000,
    'the same rows as before',
  );
  assert.equal((await shop.mailsTo('declined')).length, 1);
  assert.equal((await shop.mailsTo('paid')).length, 1);

  const [audit] = await sql<{ actor: string; target: string; reason: string; result: string }[]>`
    select actor, target, reason, result from operator_actions where action = 'events.replay'`;
  assert.equal(audit?.target, 'replay/rebuild');
  assert.equal(audit.reason, 'rows were lost');
  assert.equal(audit.result, 'started');
});

test('a replay that cannot be is refused with what is wrong', async () => {
  const replay = ['events', 'replay', '--from', '2026-01-01T00:00:00Z', '--reason', 'test'];
  const taken = await pawl([...replay, '--rule', 'pawl-search-projection', '--name', 'rebuild']);
  assert.equal(taken.code, 1);
  assert.match(taken.err, /replay of this name|already exists/);
  const unknown = await pawl([...replay, '--rule', 'nobody']);
  assert.match(unknown.err, /nobody.*does not exist/);
  const future = await pawl([
    ...replay,
    '--to',
    '2100-01-01T00:00:00Z',
    '--rule',
    'pawl-search-projection',
  ]);
  assert.match(future.err, /\/to.*has not come yet/);
  assert.equal((await pawl(replay)).code, 2, 'a replay to everybody is not offered');
  const { status } = await shop.call('GET', '/ops/events/replays');
  assert.equal(status, 403, 'operators only');
});

test('an event that comes by EventBridge → SQS and by EventBridge → SNS → SQS is handled once', async () => {
  // The rule brings it to the topic already; now also to the queue itself.
  await eventBridge.send(
    new PutTargetsCommand({
      Rule: 'pawl-notifications',
      Targets: [{ Id: 'direct', Arn: 'arn:aws:sqs:us-east-1:000000000000:notifications' }],
    }),
  );
  await shop.pay({ confirm: 'declined', times: 1 });
  const jobId = await shop.order('both-ways', [serum(1)]);
  await shop.settled(jobId);
  const [asked] = await sql<{ eventId: string }[]>`
    select envelope ->> 'eventId' as "eventId" from outbox
    where job_id = ${jobId} and message_type = 'notification.requested'`;
  const outcomes = (): string[] =>
    shop
      .log('worker')
      .split('\n')
      .filter((line) => line.includes(String(asked?.eventId)) && line.includes('"msg":"event"'))
      .map((line) => String(JSON.parse(line).outcome));
  await waitFor(() => outcomes().length === 2, 30_000, 'it to come twice');
  const [first, second] = outcomes().sort();
  assert.equal(first, 'handled before');
  assert.equal(second, 'sent');
  assert.equal((await shop.mailsTo('both-ways')).length, 1);
});

test('a dead letter of a subscriber is counted, shown, redriven and handled', async () => {
  const eventId = randomUUID();
  const event = {
    source: 'pawl',
    'detail-type': 'stock.reserved',
    detail: {
      eventId,
      type: 'stock.reserved',
      version: 1,
      occurredAt: new Date().toISOString(),
      tenantId: runtime.tenantId,
      aggregate: { type: 'order', id: 'dead', version: 1 },
      correlationId: 'test',
      causationId: 'test',
      producer: 'order-settlement',
      data: {
        orderId: 'dead',
        status: 'RESERVED',
        amount: 149_000,
        currency: 'IDR',
        items: [{ sku: 'serum-30', quantity: 1, unitPrice: 149_000 }],
        paymentAttempt: 1,
        paymentReference: null,
        paidAt: null,
      },
    },
  };
  const QueueUrl = `${runtime.endpoints.sqs}/000000000000/search-projection-dlq`;
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(event) }));
  await waitFor(
    async () => {
      const { body } = await shop.call('GET', '/ops/queues', undefined, 'operator');
      const { queues } = body as { queues: { name: string; visible: number }[] };
      return queues.find(({ name }) => name === 'search-projection-dlq')?.visible === 1;
    },
    30_000,
    'the depth of its queue',
  );
  await waitFor(
    async () => {
      const metrics = await (await fetch(`${runtime.api}/metrics`)).text();
      return metrics.includes('pawl_dead_letters{queue="search-projection-dlq"} 1');
    },
    30_000,
    'the metric',
  );
  const doctor = JSON.parse((await pawl(['doctor'])).out);
  assert.match(
    doctor.findings.find(({ id }: { id: string }) => id === 'poison').answer,
    /^1 dead letters/,
  );
  const listed = JSON.parse((await pawl(['dlq', 'list', '--queue', 'search-projection'])).out);
  assert.equal(listed.messages.length, 1);
  const [{ messageId }] = listed.messages;
  const redriven = await pawl([
    'dlq',
    'redrive',
    messageId,
    '--queue',
    'search-projection',
    '--reason',
    'mended',
  ]);
  assert.deepEqual(JSON.parse(redriven.out).messageIds, [messageId], redriven.err);
  await waitFor(
    async () => (await entries()).some(({ id }) => id === 'dead'),
    30_000,
    'it to be handled',
  );
});
