import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createInsertTogether } from '../../jobs/insert-together.ts';
import type { TenantId } from '../../jobs/ids.ts';
import { insertJobs, type NewJob } from '../../jobs/store/submit-job.ts';
import { type InsertJob, type JobRequest, submitJob } from '../../jobs/submit.ts';
import { connectTest } from '../support/connect-test.ts';
import { countDeadlocks } from '../support/end-other-backends.ts';

const sql = await connectTest();
const insertJob = createInsertTogether(sql);

const submit = (
  request: JobRequest,
  idempotencyKey: string | null = null,
  insert: InsertJob = insertJob,
) =>
  submitJob(
    sql,
    request,
    {
      tenantId: 'acme' as TenantId,
      actor: 'test',
      idempotencyKey,
      correlationId: 'test',
      traceparent: null,
      failureBlocksKey: false,
      maxOpenJobs: null,
    },
    new Date(),
    insert,
  );
const kinds = (outcomes: readonly { readonly kind: string }[]) => outcomes.map(({ kind }) => kind);

/** What a submit would insert. */
async function newJobOf(request: JobRequest, key: string | null = null): Promise<NewJob> {
  const { promise, resolve } = Promise.withResolvers<NewJob>();
  await submit(request, key, async (job) => {
    resolve(job);
    return { jobId: job.jobId, createdAt: new Date(), waits: false };
  });
  return await promise;
}

/** In how many transactions the jobs of the input's group `g` were written. */
async function transactionsOf(g: string): Promise<{ jobs: number; transactions: number }> {
  const [row] = await sql<{ jobs: number; transactions: number }[]>`
    select count(*)::integer as jobs, count(distinct jobs.xmin::text)::integer as transactions
    from jobs where input ->> 'g' = ${g}`;
  return row ?? { jobs: 0, transactions: 0 };
}

test('jobs of one moment share a commit, and each has its event and its message', async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 40 }, (_, n) => submit({ type: 'echo', input: { g: 'forty', n } })),
  );
  assert.deepEqual(new Set(kinds(outcomes)), new Set(['accepted']));
  assert.deepEqual(await transactionsOf('forty'), { jobs: 40, transactions: 1 });
  const [kept] = await sql`
    select count(distinct job_events.job_id)::integer as events, count(distinct message_id)::integer as messages
    from jobs join job_events using (job_id) join outbox on outbox.job_id = jobs.job_id
    where input ->> 'g' = 'forty' and to_status = 'PENDING'
      and envelope -> 'payload' ->> 'jobId' = jobs.job_id::text`;
  assert.deepEqual({ ...kept }, { events: 40, messages: 40 });
});

test('the same idempotency key twice in one commit is one job', async () => {
  const [first, second] = await Promise.all(
    [1, 2].map((n) => newJobOf({ type: 'echo', input: { n } }, 'twice')),
  );
  assert.ok(first && second);
  const stored = await insertJobs(sql, [first, second]);
  assert.deepEqual(
    stored.map(({ jobId }) => jobId),
    [first.jobId],
  );
  const outcomes = await Promise.all(
    Array.from({ length: 10 }, () => submit({ type: 'echo', input: { g: 'same' } }, 'same-key')),
  );
  assert.deepEqual(kinds(outcomes).sort(), ['accepted', ...Array(9).fill('replayed')]);
  assert.equal((await transactionsOf('same')).jobs, 1);
});

test('an id that is stored already keeps no neighbour out', async () => {
  const jobs = await Promise.all([1, 2, 3].map((n) => newJobOf({ type: 'echo', input: { n } })));
  const [first, lost, third] = jobs;
  assert.ok(first && lost && third);
  // A submit whose connection broke after the commit tries once more.
  await insertJobs(sql, [lost]);
  const inserted = await Promise.all(jobs.map(insertJob));
  assert.deepEqual(
    inserted.map((job) => job?.jobId),
    [first.jobId, undefined, third.jobId],
  );
});

test('a job that the database refuses takes none of its neighbours with it', async () => {
  const results = await Promise.allSettled([
    submit({ type: 'echo', input: { g: 'mixed', n: 1 } }),
    // Lone surrogates are turned away by the API; the database would take none either.
    submit({ type: 'echo', input: { g: 'mixed', n: '\ud800' } }),
    submit({ type: 'echo', input: { g: 'mixed', n: 3 } }),
  ]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  assert.equal((await transactionsOf('mixed')).jobs, 2);
});

test('an input of null stays null', async () => {
  const outcome = await submit({ type: 'echo', input: null });
  assert.ok(outcome.kind === 'accepted');
  const [row] =
    await sql`select input::text as input from jobs where job_id = ${outcome.job.jobId}`;
  assert.equal(row?.['input'], 'null');
});

test('submits with crossed keys from two processes never wait for each other', async () => {
  const other = createInsertTogether(sql);
  for (let round = 0; round < 20; round += 1) {
    const keys = Array.from({ length: 20 }, (_, n) => `crossed-${round}-${n}`);
    const insertOf = (insert: InsertJob, order: readonly string[]) =>
      order.map((key) => submit({ type: 'echo', input: { key } }, key, insert));
    const outcomes = await Promise.all([
      ...insertOf(insertJob, keys),
      ...insertOf(other, keys.toReversed()),
    ]);
    assert.equal(outcomes.filter(({ kind }) => kind === 'accepted').length, 20);
    assert.equal(outcomes.filter(({ kind }) => kind === 'replayed').length, 20);
  }
  // One that was ended for a deadlock tried again, each job alone.
  assert.equal(await countDeadlocks(sql), 0);
});
