import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createSharedStatements } from '../../jobs/dispatch/shared-statements.ts';
import { requestHashOf } from '../../jobs/dispatch/dispatch-message.ts';
import { claimMessage, closeMessage, postponeMessage, putOffCopy } from '../../jobs/store/inbox.ts';
import { connectTest } from '../support/connect-test.ts';
import { seedJob, seedOutbox } from '../support/seed-job.ts';

const sql = await connectTest();

test('of many deliveries of a message at once one is worked on', async () => {
  const { envelope } = await seedJob(sql);
  const hash = requestHashOf(envelope);
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => claimMessage(sql, envelope, hash)),
  );
  const kinds = answers.map((answer) => answer.kind).sort();
  assert.deepEqual(kinds, [...Array.from({ length: 19 }, () => 'busy'), 'claimed']);
});

test('a delivery after the work is done is a success without work', async () => {
  const { envelope } = await seedJob(sql);
  const first = await claimMessage(sql, envelope, requestHashOf(envelope));
  assert.equal(first.kind, 'claimed');
  if (first.kind === 'claimed') await closeMessage(sql, first.claim, 'COMPLETED', 'started');
  assert.deepEqual(await claimMessage(sql, envelope, requestHashOf(envelope)), {
    kind: 'completed',
  });
});

test('a message whose worker died is claimed again when the lease is over, as the next attempt', async () => {
  const { envelope, jobId } = await seedJob(sql);
  const hash = requestHashOf(envelope);
  const first = await claimMessage(sql, envelope, hash);
  await sql`update worker_inbox set lease_until = now() - interval '1 second' where job_id = ${jobId}`;
  const second = await claimMessage(sql, envelope, hash);
  assert.ok(first.kind === 'claimed' && second.kind === 'claimed');
  assert.equal(second.claim.attempts, 2);
  // The first one wakes up: its lease token is not the row's any more.
  await closeMessage(sql, first.claim, 'COMPLETED', 'late');
  const [row] = await sql`select status from worker_inbox where job_id = ${jobId}`;
  assert.equal(row?.['status'], 'PROCESSING');
});

test('the same key for another request is told apart, and the first request is untouched', async () => {
  const { envelope, jobId } = await seedJob(sql);
  const first = await claimMessage(sql, envelope, requestHashOf(envelope));
  const other = { ...envelope, payload: { ...envelope.payload, type: 'another' } };
  assert.equal(first.kind, 'claimed');
  assert.deepEqual(await claimMessage(sql, other, requestHashOf(other)), { kind: 'other-request' });
  const [row] = await sql`select status, request_hash from worker_inbox where job_id = ${jobId}`;
  assert.deepEqual({ ...row }, { status: 'PROCESSING', request_hash: requestHashOf(envelope) });
});

test('the order of keys in a message does not make it another request', async () => {
  const { envelope } = await seedJob(sql);
  const turned = {
    ...envelope,
    payload: Object.fromEntries(Object.entries(envelope.payload).toReversed()),
  };
  assert.equal(requestHashOf(turned as typeof envelope), requestHashOf(envelope));
});

test('a postponed message is due again in the outbox, and its next delivery is claimed', async () => {
  const job = await seedJob(sql);
  await seedOutbox(sql, job);
  await sql`update outbox set published_at = now() where job_id = ${job.jobId}`;
  const hash = requestHashOf(job.envelope);
  const answer = await claimMessage(sql, job.envelope, hash);
  assert.ok(answer.kind === 'claimed');
  await postponeMessage(sql, answer.claim, job.envelope, {
    code: 'AWS_UNAVAILABLE',
    message: '503',
    retryInMs: 60_000,
  });
  const [row] = await sql`
    select published_at, next_attempt_at > now() + interval '50 seconds' as later, last_error,
           (select status from worker_inbox where job_id = ${job.jobId}) as inbox
    from outbox where job_id = ${job.jobId}`;
  assert.deepEqual(
    { ...row },
    {
      published_at: null,
      later: true,
      last_error: 'AWS_UNAVAILABLE: 503',
      inbox: 'FAILED_RETRYABLE',
    },
  );
  const again = await claimMessage(sql, job.envelope, hash);
  assert.ok(again.kind === 'claimed' && again.claim.attempts === 2);
});

test('a message that lost its lease cannot put itself off', async () => {
  const job = await seedJob(sql);
  const answer = await claimMessage(sql, job.envelope, requestHashOf(job.envelope));
  assert.ok(answer.kind === 'claimed');
  const stale = { ...answer.claim, leaseToken: crypto.randomUUID() };
  const postponed = await postponeMessage(sql, stale, job.envelope, {
    code: 'AWS_UNAVAILABLE',
    message: '503',
    retryInMs: 0,
  });
  assert.equal(postponed, false);
  assert.equal((await sql`select from outbox where job_id = ${job.jobId}`).length, 0);
});

test('a copy of a message in other hands goes back to the outbox, due when their lease is over', async () => {
  const seeded = await seedJob(sql);
  const { envelope, jobId } = seeded;
  await seedOutbox(sql, seeded);
  await sql`update outbox set published_at = now() where job_id = ${jobId}`;
  await putOffCopy(sql, envelope, 20);
  const [row] = await sql`
    select published_at, next_attempt_at > now() + interval '15 seconds' as later from outbox where job_id = ${jobId}`;
  assert.deepEqual({ ...row }, { published_at: null, later: true });
});

test('messages of one moment are claimed in one statement, each with its own answer', async () => {
  const { claimMessage: claim } = createSharedStatements(sql);
  const jobs = await Promise.all(Array.from({ length: 10 }, () => seedJob(sql)));
  const [first] = jobs;
  assert.ok(first);
  const unknown = {
    ...first.envelope,
    payload: { ...first.envelope.payload, jobId: randomUUID() },
  };
  const done = await claimMessage(sql, first.envelope, requestHashOf(first.envelope));
  assert.ok(done.kind === 'claimed');
  await closeMessage(sql, done.claim, 'COMPLETED', 'done');
  const answers = await Promise.all(
    [...jobs.map(({ envelope }) => envelope), { ...unknown, idempotencyKey: 'of nobody' }].map(
      (envelope) => claim({ envelope, requestHash: requestHashOf(envelope) }),
    ),
  );
  assert.deepEqual(
    answers.map(({ kind }) => kind),
    ['completed', ...Array(9).fill('claimed'), 'job-unknown'],
  );
  const [row] = await sql`
    select count(distinct xmin::text)::integer as transactions from worker_inbox
    where job_id in (select job_id from jsonb_to_recordset(${sql.json(jobs.slice(1).map(({ jobId }) => ({ job_id: jobId })))}) as of_test(job_id uuid))`;
  assert.equal(row?.['transactions'], 1);
});

test('two deliveries of one message at the same moment are one claim', async () => {
  const { claimMessage: claim } = createSharedStatements(sql);
  const { envelope } = await seedJob(sql);
  const requestHash = requestHashOf(envelope);
  const answers = await Promise.all([1, 2, 3].map(() => claim({ envelope, requestHash })));
  assert.deepEqual(answers.map(({ kind }) => kind).sort(), ['busy', 'busy', 'claimed']);
});

test('another request under the key of a message of the same moment is not taken for a claim', async () => {
  const { claimMessage: claim } = createSharedStatements(sql);
  const { envelope, jobId } = await seedJob(sql);
  const wanted = { envelope, requestHash: requestHashOf(envelope) };
  const other = { envelope, requestHash: 'f'.repeat(64) };
  await claim(wanted);
  for (const together of [
    [wanted, other],
    [other, wanted],
  ]) {
    await sql`update worker_inbox set lease_until = now() - interval '1 second' where job_id = ${jobId}`;
    const answers = await Promise.all(together.map((each) => claim(each)));
    const kinds = new Map(together.map((each, place) => [each, answers[place]?.kind]));
    assert.deepEqual([kinds.get(wanted), kinds.get(other)], ['claimed', 'other-request']);
  }
});
