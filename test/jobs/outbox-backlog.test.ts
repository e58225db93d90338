import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TenantId } from '../../jobs/ids.ts';
import { claimCompletions } from '../../jobs/store/completions.ts';
import type { Sql } from '../../jobs/store/connect.ts';
import { connectTest } from '../support/connect-test.ts';
import { seedJob } from '../support/seed-job.ts';

const sql = await connectTest();

test('a claim that was planned while the outbox was empty reads no further when much waits', async () => {
  const young = await connectTest();
  const free = { free: 64, perTenant: 16, perReceiver: 8, inHand: [] };
  // PostgreSQL keeps one plan after five.
  for (let time = 0; time < 6; time += 1)
    assert.equal((await claimCompletions(young, free)).length, 0);
  await due(young, 'hangs.example', 20_000);
  const before = await rowsRead(young);
  assert.equal((await claimCompletions(young, free)).length, 8);
  const read = (await rowsRead(young)) - before;
  assert.ok(read <= 200, `${read} rows of the outbox read`);
});

test('the sweep of job requests does not read past the events that wait for an absent bus', async () => {
  await sql`
    insert into outbox (message_id, tenant_id, destination, message_type, envelope, next_attempt_at, receiver)
    select gen_random_uuid(), 'acme', case when n % 3 = 0 then 'webhook' else 'event-bus' end, 'job.succeeded', '{}',
           now() - interval '1 hour' + n * interval '1 millisecond', case when n % 3 = 0 then 'receiver.example' end
    from generate_series(1, 20000) n`;
  await sql`
    insert into outbox (message_id, tenant_id, destination, message_type, envelope)
    select gen_random_uuid(), 'acme', 'job-requests', 'JobRequested', '{}' from generate_series(1, 1000)`;
  await sql`analyze outbox`;
  for (const destination of ['job-requests', 'webhook', 'event-bus']) {
    const [row] = await sql.unsafe<{ plan: readonly { readonly plan: string }[] }[]>(`
      explain (format json) select message_id from outbox
      where published_at is null and next_attempt_at <= now() and destination = '${destination}'
      order by next_attempt_at limit 100 for update skip locked`);
    assert.match(JSON.stringify(row), /outbox_due_by_destination/, destination);
  }
});

test('a receiver that hangs keeps nobody waiting and is not walked through, however much waits for it', async () => {
  await due(sql, 'hangs.example', 20_000);
  await due(sql, 'answers.example', 3);
  const inHand = Array.from({ length: 8 }, () => ({
    tenantId: 'acme' as TenantId,
    receiver: 'hangs.example',
  }));
  const before = await entriesRead();
  const claimed = await claimCompletions(sql, {
    free: 56,
    perTenant: 56,
    perReceiver: 8,
    inHand,
  });
  const receivers = new Set(claimed.map(({ receiver }) => receiver));
  assert.ok(receivers.has('answers.example') && !receivers.has('hangs.example'));
  const read = (await entriesRead()) - before;
  assert.ok(read <= 200, `${read} entries of the index read`);
});

async function due(sql: Sql, receiver: string, count: number): Promise<void> {
  const { jobId } = await seedJob(sql, { status: 'RUNNING' });
  await sql`
    insert into outbox (message_id, tenant_id, destination, message_type, job_id, envelope, next_attempt_at, receiver)
    select gen_random_uuid(), 'acme', 'webhook', 'JobCompleted', ${jobId}, '{"payload": {}}',
           now() - interval '1 hour' + n * interval '1 millisecond', ${receiver}
    from generate_series(1, ${count}::integer) n`;
}

/** By whichever index, or without one. */
async function rowsRead(sql: Sql): Promise<number> {
  await sql`select pg_stat_force_next_flush()`;
  const [row] = await sql<{ read: number }[]>`
    select (seq_tup_read + (select sum(idx_tup_read) from pg_stat_user_indexes where relname = 'outbox'))::integer as read
    from pg_stat_user_tables where relname = 'outbox'`;
  return row?.read ?? 0;
}

async function entriesRead(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`;
  const [row] = await sql<{ read: number }[]>`
    select idx_tup_read::integer as read from pg_stat_user_indexes where indexrelname = 'outbox_completions_due'`;
  return row?.read ?? 0;
}
