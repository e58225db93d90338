import assert from 'node:assert/strict';
import { test } from 'node:test';
import { awaitTurn, findOwnerless, resend } from '../../jobs/store/ownerless.ts';
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

test('an owner is never set beyond expiresAt, nor at one that has passed', async () => {
  await sql`delete from jobs`;
  const seeded = await seedJob(sql);
  const { jobId } = seeded;
  await seedOutbox(sql, seeded);
  const overdue = async (expiresInSeconds: number) => {
    await sql`
      update jobs set owner_until = now() - interval '1 second',
                      expires_at = now() + make_interval(secs => ${expiresInSeconds}) where job_id = ${jobId}`;
    const [job] = await findOwnerless(sql, 10);
    assert.ok(job);
    return job;
  };
  const owner = async () => {
    const [job] = await sql`
      select owner_until is null as none, owner_until = expires_at as "atExpiry" from jobs where job_id = ${jobId}`;
    return { ...job };
  };
  await sql`update outbox set published_at = now() where job_id = ${jobId}`;
  await resend(sql, await overdue(60), 300);
  assert.deepEqual(await owner(), { none: false, atExpiry: true });
  // It waits for its turn, and may not expire any more: the one before it looks after it.
  await sql`update outbox set next_attempt_at = 'infinity' where job_id = ${jobId}`;
  await awaitTurn(sql, await overdue(-60));
  assert.deepEqual(await owner(), { none: true, atExpiry: null });
});
