import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Failure } from '../../jobs/failure.ts';
import type { JobId, TenantId } from '../../jobs/ids.ts';
import { requestRedrive } from '../../jobs/redrive.ts';
import { requestCancel } from '../../jobs/stop.ts';
import { finishJob } from '../../jobs/store/finish-job.ts';
import { submitJob } from '../../jobs/submit.ts';
import { connectTest } from '../support/connect-test.ts';

const sql = await connectTest();
const tenantId = 'acme' as TenantId;
const boom: Failure = { code: 'TASK_FAULT', message: 'boom', retryable: false, state: null };

async function submit(orderingKey: string, failureBlocksKey = true): Promise<JobId> {
  const submission = {
    tenantId,
    actor: 'test',
    idempotencyKey: null,
    correlationId: 'test',
    traceparent: null,
    failureBlocksKey,
    maxOpenJobs: null,
  };
  const outcome = await submitJob(sql, { type: 'echo', orderingKey }, submission, new Date());
  assert.ok(outcome.kind === 'accepted');
  return outcome.job.jobId;
}

/** The open jobs of the key whose message somebody may send, in order of acceptance. */
async function due(orderingKey: string): Promise<JobId[]> {
  const rows = await sql<{ jobId: JobId }[]>`
    select job_id as "jobId" from jobs
    cross join lateral (
      select next_attempt_at from outbox
      where outbox.job_id = jobs.job_id and message_type <> 'JobStopRequested'
      order by created_at desc limit 1
    ) newest
    where ordering_key = ${orderingKey} and status in ('PENDING', 'RUNNING') and next_attempt_at < 'infinity'
    order by accepted_no`;
  return rows.map((row) => row.jobId);
}

const succeed = async (jobId: JobId) =>
  await finishJob(
    sql,
    { jobId, executionName: jobId, redriveCount: 0 },
    { status: 'SUCCEEDED', result: {} },
    'test',
  );
const fail = async (jobId: JobId) =>
  await finishJob(
    sql,
    { jobId, executionName: jobId, redriveCount: 0 },
    { status: 'FAILED', failure: boom },
    'test',
  );
const cancel = async (jobId: JobId) =>
  await requestCancel(sql, { jobId, tenantId, actor: 'test', reason: 'test', producer: 'api' });
const redrive = async (jobId: JobId) =>
  await requestRedrive(sql, {
    jobId,
    tenantId,
    mode: 'resume',
    reason: 'test',
    actor: 'test',
    expiresAt: null,
  });

test('jobs of one key become due one at a time, in order of acceptance; other keys are not held up', async () => {
  const [first, second, third] = [await submit('a'), await submit('a'), await submit('a')];
  const other = await submit('b');
  assert.deepEqual(await due('a'), [first]);
  assert.deepEqual(await due('b'), [other]);
  await succeed(first);
  assert.deepEqual(await due('a'), [second]);
  await succeed(second);
  assert.deepEqual(await due('a'), [third]);
  await succeed(third);
  assert.equal((await sql`select from ordering_keys where ordering_key = 'a'`).length, 0);
});

test('a FAILED job blocks its key until it succeeds by redrive', async () => {
  const [first, second] = [await submit('c'), await submit('c')];
  await fail(first);
  assert.deepEqual(await due('c'), []);
  assert.equal((await redrive(first)).outcome, 'redriven');
  assert.deepEqual(await due('c'), [first]);
  const fence = { jobId: first, executionName: first, redriveCount: 1 };
  await finishJob(sql, fence, { status: 'SUCCEEDED', result: {} }, 'test');
  assert.deepEqual(await due('c'), [second]);
});

test('a FAILED job that blocks its key can be cancelled, and the next one goes', async () => {
  const [first, second] = [await submit('d'), await submit('d')];
  await fail(first);
  assert.equal((await cancel(first)).outcome, 'stopped');
  assert.deepEqual(await due('d'), [second]);
});

test('a FAILED job whose type says so lets the next one go; redriven later, it waits for its turn', async () => {
  const [first, second] = [await submit('e', false), await submit('e', false)];
  await fail(first);
  assert.deepEqual(await due('e'), [second]);
  const outcome = await redrive(first);
  assert.ok(outcome.outcome === 'redriven' && outcome.row === undefined);
  assert.deepEqual(await due('e'), [second]);
  await succeed(second);
  assert.deepEqual(await due('e'), [first]);
});

test('cancelling a job that waits changes nothing for the one that runs', async () => {
  const [first, second, third] = [await submit('f'), await submit('f'), await submit('f')];
  await cancel(second);
  assert.deepEqual(await due('f'), [first]);
  await succeed(first);
  assert.deepEqual(await due('f'), [third]);
});

test('under concurrent submits and endings never two jobs of a key are due, and none is forgotten', async () => {
  const submitted: JobId[] = [];
  const done: JobId[] = [];
  const submitting = Promise.all(
    Array.from({ length: 4 }, async () => {
      for (let n = 0; n < 25; n += 1) submitted.push(await submit('busy'));
    }),
  );
  const finishing = async (): Promise<void> => {
    while (done.length < 100) {
      const open = await due('busy');
      assert.ok(open.length <= 1, `${open.length} jobs of one key are due`);
      const [current] = open;
      if (current === undefined) continue;
      const ended = await Promise.all([succeed(current), succeed(current)]);
      done.push(...ended.flatMap((job) => (job === undefined ? [] : [job.jobId])));
    }
  };
  await Promise.all([submitting, finishing()]);
  assert.deepEqual(new Set(done), new Set(submitted));
});

test('a repeated submit does not take the key twice, and a refused one not at all', async () => {
  const submission = {
    tenantId,
    actor: 'test',
    idempotencyKey: 'once',
    correlationId: 'test',
    traceparent: null,
    failureBlocksKey: true,
    maxOpenJobs: null,
  };
  const ask = async () =>
    await submitJob(sql, { type: 'echo', orderingKey: 'g' }, submission, new Date());
  const outcomes = await Promise.all([ask(), ask(), ask(), ask()]);
  assert.equal(outcomes.filter((outcome) => outcome.kind === 'accepted').length, 1);
  const accepted = outcomes.find((outcome) => outcome.kind === 'accepted');
  assert.deepEqual(await due('g'), [accepted?.kind === 'accepted' ? accepted.job.jobId : '']);
});

test('a failed job that blocks its key lets it go when it is cancelled, also where its type stops only before it begins', async () => {
  const [first, second] = [await submit('begun'), await submit('begun')];
  await sql`update jobs set stoppable = 'until-started', status = 'RUNNING', started_at = now() where job_id = ${first}`;
  assert.equal((await cancel(first)).outcome, 'begun');
  await fail(first);
  assert.deepEqual(await due('begun'), []);
  assert.equal((await cancel(first)).outcome, 'stopped');
  assert.deepEqual(await due('begun'), [second]);
});
