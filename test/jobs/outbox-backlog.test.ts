import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectTest } from '../support/connect-test.ts';

const sql = await connectTest();

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
