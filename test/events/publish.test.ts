import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { pino } from 'pino';
import { publishEvents } from '../../jobs/events/publish-events.ts';
import { connectTest } from '../support/connect-test.ts';
import { seedJob } from '../support/seed-job.ts';
import { startCloud } from '../support/start-cloud.ts';

const sql = await connectTest();
const cloud = await startCloud();
const eventBridge = new EventBridgeClient({
  region: 'us-east-1',
  endpoint: cloud.eventBridgeEndpoint,
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});
after(async () => {
  eventBridge.destroy();
  await cloud.stop();
});
const deps = {
  sql,
  eventBridge,
  busName: 'default',
  log: pino({ level: 'silent' }),
  random: () => 0.5,
};

async function seedEvents(envelopes: readonly unknown[]): Promise<string[]> {
  const { jobId, tenantId } = await seedJob(sql);
  const ids = envelopes.map(() => randomUUID());
  for (const [index, id] of ids.entries()) {
    await sql`
      insert into outbox (message_id, tenant_id, destination, message_type, job_id, envelope)
      values (${id}, ${tenantId}, 'event-bus', 'job.succeeded', ${jobId}, ${sql.json(envelopes[index] as never)})`;
  }
  return ids;
}

const envelope = { type: 'job.succeeded', occurredAt: new Date().toISOString(), data: {} };

test('an entry that the bus refuses is tried again later, alone; the others are published', async () => {
  // The bus wants a `source` and a type of at least one character.
  const refused = { ...envelope, type: '' };
  const ids = await seedEvents([...Array.from({ length: 11 }, () => envelope), refused]);
  await publishEvents(deps);
  const rows = await sql<
    { id: string; published: boolean; error: string | null; later: boolean }[]
  >`
    select message_id as id, published_at is not null as published, last_error as error,
           next_attempt_at > now() as later
    from outbox where destination = 'event-bus'`;
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const id of ids.slice(0, 11)) assert.equal(byId.get(id)?.published, true);
  const last = byId.get(ids[11] ?? '');
  assert.equal(last?.published, false);
  assert.match(last?.error ?? '', /InvalidArgument.*DetailType/);
  assert.equal(last?.later, true);
});

test('while the bus is away nothing is lost: published when it is there again', async () => {
  const [id = ''] = await seedEvents([envelope]);
  await publishEvents({
    ...deps,
    eventBridge: new EventBridgeClient({
      region: 'us-east-1',
      endpoint: 'http://127.0.0.1:9',
      maxAttempts: 1,
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    }),
  });
  const isPublished = async (): Promise<boolean> => {
    const rows =
      await sql`select from outbox where message_id = ${id} and published_at is not null`;
    return rows.length === 1;
  };
  assert.equal(await isPublished(), false);
  await sql`update outbox set next_attempt_at = now() where message_id = ${id}`;
  await publishEvents(deps);
  assert.equal(await isPublished(), true);
});
