import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { SFNClient } from '@aws-sdk/client-sfn';
import { pino } from 'pino';
import { executionFailure } from '../../jobs/execution-failure.ts';
import { createExecutions } from '../../jobs/executions.ts';
import type { TenantId } from '../../jobs/ids.ts';
import { messageNameOf } from '../../jobs/message-name.ts';
import { type QueueView, reconcile } from '../../jobs/reconcile.ts';
import { requestRedrive } from '../../jobs/redrive.ts';
import { requestCancel } from '../../jobs/stop.ts';
import { countHeldJobs, releaseJobs } from '../../jobs/store/held-jobs.ts';
import { quarantine } from '../../jobs/store/quarantine.ts';
import { findHeldJobs } from '../../jobs/store/stuck-jobs.ts';
import { connectTest } from '../support/connect-test.ts';
import { type SeededJob, seedJob, seedOutbox } from '../support/seed-job.ts';

const sql = await connectTest();
beforeEach(async () => void (await sql`truncate jobs, outbox, quarantined_messages cascade`));

/** A reconciler's pass; SQS shows an empty queue and these idempotency keys in the dead-letter queue. */
async function pass(view: Partial<QueueView> = {}): Promise<void> {
  const sfn = new SFNClient({ region: 'us-east-1' });
  await reconcile({
    sql,
    executions: createExecutions(sfn, 'arn:aws:states:us-east-1:000000000000:stateMachine:pawl-'),
    failureOf: (_arn, execution) => Promise.resolve(executionFailure(execution)),
    queueView: () =>
      Promise.resolve({ empty: true, hasPassed: () => false, deadLetters: new Set(), ...view }),
    publishSoon: () => undefined,
    log: pino({ level: 'silent' }),
  });
}

/** As if the relay had sent what is due, and the time of whoever looks after the job were over. */
async function sendAndWait({ jobId }: SeededJob): Promise<number> {
  const sent = await sql`
    update outbox set published_at = now(), attempts = attempts + 1
    where job_id = ${jobId} and published_at is null and next_attempt_at <= now() returning message_id`;
  await sql`update jobs set owner_until = now() - interval '1 second' where job_id = ${jobId} and held_since is null`;
  return sent.length;
}

async function publishedJob(): Promise<SeededJob> {
  const job = await seedJob(sql);
  await seedOutbox(sql, job);
  await sendAndWait(job);
  return job;
}

const stateOf = async ({ jobId }: SeededJob) => {
  const [row] = await sql`
    select jobs.status, held_because as reason, owner_until is null as "noOwner", resends
    from jobs join outbox using (job_id) where job_id = ${jobId} and destination = 'job-requests'
    order by outbox.created_at desc limit 1`;
  return { ...row };
};

test('a message that is lost again and again is sent four times, then its job is held and listed', async () => {
  const job = await publishedJob();
  let sends = 1;
  for (let round = 0; round < 10; round += 1) {
    await pass();
    sends += await sendAndWait(job);
  }
  assert.equal(sends, 4);
  const reason = 'its message was sent again 3 times, and no consumer has answered for it';
  assert.deepEqual(await stateOf(job), { status: 'PENDING', reason, noOwner: true, resends: 3 });
  assert.equal(await countHeldJobs(sql), 1);
  const [listed] = await findHeldJobs(sql, 10);
  assert.deepEqual([listed?.jobId, listed?.why, listed?.heldReason], [job.jobId, 'held', reason]);
});

test('a job whose message is in quarantine is held with its code; a redrive of the message lets it go', async () => {
  const job = await publishedJob();
  const body = JSON.stringify({ ...job.envelope, schemaVersion: 2 });
  const message = { queue: 'job-requests', sqsMessageId: 'm', body, attributes: {} } as const;
  const kept = { ...message, receiveCount: 1 };
  await quarantine(sql, kept, 'SCHEMA_VERSION_UNKNOWN', 'version 2 is newer than this worker');
  await pass();
  const reason = 'its message is in quarantine: SCHEMA_VERSION_UNKNOWN';
  assert.deepEqual(await stateOf(job), { status: 'PENDING', reason, noOwner: true, resends: 0 });
  const name = messageNameOf(body);
  assert.ok(name);
  assert.equal(await releaseJobs(sql, [name]), 1);
  const free = { status: 'PENDING', reason: null, noOwner: false, resends: 0 };
  assert.deepEqual(await stateOf(job), free);
  assert.equal(await releaseJobs(sql, [name]), 0);
});

test('what was sent to its queue again by an operator may be sent again as often as at first', async () => {
  const job = await publishedJob();
  await pass();
  await sendAndWait(job);
  await pass({ deadLetters: new Set([job.envelope.idempotencyKey]) });
  assert.match(String((await stateOf(job))['reason']), /dead-letter queue/);
  assert.equal((await stateOf(job))['resends'], 1);
  await releaseJobs(sql, [
    { jobId: job.jobId, idempotencyKey: job.envelope.idempotencyKey },
    { jobId: job.jobId, idempotencyKey: null },
  ]);
  assert.equal((await stateOf(job))['resends'], 0);
});

test('a redrive of a held job sends its message again, in the same run; of another PENDING one it is refused', async () => {
  const held = await publishedJob();
  await pass({ deadLetters: new Set([held.envelope.idempotencyKey]) });
  const request = { mode: 'auto', reason: 'mended', actor: 'operator', expiresAt: null } as const;
  const redrive = () =>
    requestRedrive(sql, { ...request, jobId: held.jobId, tenantId: 'acme' as TenantId });
  const redriven = await redrive();
  assert.equal(redriven.outcome, 'redriven');
  assert.deepEqual(await stateOf(held), {
    status: 'PENDING',
    reason: null,
    noOwner: false,
    resends: 0,
  });
  assert.equal(await sendAndWait(held), 1);
  const [event] =
    await sql`select actor, run, to_status from job_events where job_id = ${held.jobId}`;
  assert.deepEqual({ ...event }, { actor: 'operator', run: 1, to_status: 'PENDING' });
  assert.equal((await redrive()).outcome, 'not-redrivable');
});

test('a held job expires at its time, and the next run of one that was cancelled is not held', async () => {
  const late = await publishedJob();
  const cancelled = await publishedJob();
  await sql`update jobs set expires_at = now() + interval '1 hour' where job_id = ${late.jobId}`;
  const keys = [late, cancelled].map(({ envelope }) => envelope.idempotencyKey);
  await pass({ deadLetters: new Set(keys) });
  assert.equal(await countHeldJobs(sql), 2);
  await sql`
    update jobs set expires_at = now() - interval '1 second', owner_until = now() - interval '1 second'
    where job_id = ${late.jobId} and owner_until = expires_at`;
  await pass({ deadLetters: new Set(keys) });
  const [row] = await sql`select status from jobs where job_id = ${late.jobId}`;
  assert.equal(row?.['status'], 'EXPIRED');

  const by = { jobId: cancelled.jobId, tenantId: undefined, actor: 'operator', reason: 'test' };
  assert.equal((await requestCancel(sql, { ...by, producer: 'api' })).outcome, 'stopped');
  const redriven = await requestRedrive(sql, { ...by, mode: 'auto', expiresAt: null });
  assert.equal(redriven.outcome, 'redriven');
  assert.equal(await countHeldJobs(sql), 0);
});

test('held jobs are found by their own index, however many jobs there are', async () => {
  await sql`
    insert into jobs (job_id, tenant_id, type, execution_name, input, request_hash, correlation_id, held_since, held_because)
    select gen_random_uuid(), 'acme', 'echo', n::text, '{}', repeat('0', 64), 'seed',
           case when n % 1000 = 0 then now() end, case when n % 1000 = 0 then 'seeded' end
    from generate_series(1, 20000) n`;
  await sql`analyze jobs`;
  const [row] = await sql.unsafe<{ plan: unknown }[]>(`
    explain (format json) select job_id from jobs
    where held_since is not null and status = 'PENDING' order by held_since limit 200`);
  assert.match(JSON.stringify(row), /jobs_held/);
  assert.equal(await countHeldJobs(sql), 20);
});
