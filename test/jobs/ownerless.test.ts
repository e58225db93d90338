import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findOwnerless, resend } from '../../jobs/store/ownerless.ts';
import { connectTest } from '../support/connect-test.ts';
import { seedJob, seedOutbox } from '../support/seed-job.ts';

const sql = await connectTest();

test('what is sent again is the message to the dispatcher, whatever else was sent about the job since', async () => {
  const seeded = await seedJob(sql);
  const { jobId, tenantId, envelope } = seeded;
  await seedOutbox(sql, seeded);
  await sql`update outbox set published_at = now(), created_at = now() - interval '1 minute' where job_id = ${jobId}`;
  await sql`
    insert into outbox (message_id, tenant_id, destination, message_type, job_id, envelope, published_at)
    values (gen_random_uuid(), ${tenantId}, 'event-bus', 'job.accepted', ${jobId}, '{}', now())`;
  await sql`update jobs set owner_until = now() - interval '1 second' where job_id = ${jobId}`;
  const [job] = await findOwnerless(sql, 10);
  assert.equal(job?.messageId, envelope.messageId);
  await resend(sql, job, 300);
  const due = await sql`select message_id from outbox where published_at is null`;
  assert.deepEqual(
    due.map((row) => row['message_id']),
    [envelope.messageId],
  );
});
