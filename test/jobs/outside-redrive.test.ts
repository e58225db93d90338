// A redrive made in AWS's own console, of a job whose ordering key or uniqueKey another job has meanwhile.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { applyExecutionEvent } from '../../jobs/execution-events.ts';
import type { Failure } from '../../jobs/failure.ts';
import type { JobId, TenantId } from '../../jobs/ids.ts';
import { requestRedrive } from '../../jobs/redrive.ts';
import { finishJob } from '../../jobs/store/finish-job.ts';
import { openRun } from '../../jobs/store/open-run.ts';
import { submitJob } from '../../jobs/submit.ts';
import { connectTest } from '../support/connect-test.ts';

const sql = await connectTest();
const tenantId = 'acme' as TenantId;
const boom: Failure = { code: 'TASK_FAULT', message: 'boom', retryable: false, state: 'Work' };

async function submit(
  keys: { readonly orderingKey?: string; readonly uniqueKey?: string },
  failureBlocksKey = false,
): Promise<JobId> {
  const submission = {
    tenantId,
    actor: 'test',
    idempotencyKey: null,
    correlationId: 'test',
    traceparent: null,
    failureBlocksKey,
    maxOpenJobs: null,
  };
  const outcome = await submitJob(sql, { type: 'echo', ...keys }, submission, new Date());
  assert.ok(outcome.kind === 'accepted');
  return outcome.job.jobId;
}

const fenceOf = (jobId: JobId, redriveCount = 0) => ({ jobId, executionName: jobId, redriveCount });
const fail = (jobId: JobId, redriveCount = 0, failure = boom) =>
  finishJob(sql, fenceOf(jobId, redriveCount), { status: 'FAILED', failure }, 'test');
const succeed = (jobId: JobId, redriveCount = 0) =>
  finishJob(sql, fenceOf(jobId, redriveCount), { status: 'SUCCEEDED', result: {} }, 'test');
const redrivenOutside = (jobId: JobId, redriveCount = 1) =>
  openRun(sql, fenceOf(jobId, redriveCount), 'task');

async function jobOf(jobId: JobId) {
  const [job] = await sql<{ status: string; count: number; code: string | null }[]>`
    select status, redrive_count as count, failure ->> 'code' as code from jobs where job_id = ${jobId}`;
  return { ...job };
}
const holderOf = async (orderingKey: string): Promise<JobId | undefined> => {
  const [row] = await sql<{ jobId: JobId }[]>`
    select current_job as "jobId" from ordering_keys where ordering_key = ${orderingKey}`;
  return row?.jobId;
};

const refused = (holder: JobId, key: string) => ({
  name: 'Terminal',
  code: 'JOB_NOT_RUNNABLE',
  message: new RegExp(`${key} is in use by job ${holder}`),
});

test('a job that let its ordering key go is not opened while another has it, and its failure says why', async () => {
  const [first, second] = [await submit({ orderingKey: 'a' }), await submit({ orderingKey: 'a' })];
  await fail(first);
  assert.equal(await holderOf('a'), second);
  await assert.rejects(redrivenOutside(first), refused(second, 'ordering key'));
  assert.deepEqual(await jobOf(first), { status: 'FAILED', count: 0, code: 'TASK_FAULT' });
  // Its task has failed with that, so its execution ends, under the higher count.
  await fail(first, 1, { ...boom, code: 'JOB_NOT_RUNNABLE' });
  assert.deepEqual(await jobOf(first), { status: 'FAILED', count: 1, code: 'JOB_NOT_RUNNABLE' });
  assert.equal(await holderOf('a'), second);
  await succeed(second);
  await redrivenOutside(first, 2);
  assert.deepEqual(await jobOf(first), { status: 'RUNNING', count: 2, code: null });
});

test('a job that is opened from outside takes its ordering key again: later ones wait for it', async () => {
  const first = await submit({ orderingKey: 'b' });
  await fail(first);
  assert.equal(await holderOf('b'), undefined);
  await redrivenOutside(first);
  const second = await submit({ orderingKey: 'b' });
  assert.equal(await holderOf('b'), first);
  await succeed(first, 1);
  assert.equal(await holderOf('b'), second);
});

test('a FAILED job that has kept its ordering key is opened from outside', async () => {
  const first = await submit({ orderingKey: 'c' }, true);
  await submit({ orderingKey: 'c' }, true);
  await fail(first);
  await redrivenOutside(first);
  assert.deepEqual(await jobOf(first), { status: 'RUNNING', count: 1, code: null });
});

test('a job that waits for its turn is not opened by a redrive from outside', async () => {
  const [first, second] = [await submit({ orderingKey: 'd' }), await submit({ orderingKey: 'd' })];
  await fail(first);
  await requestRedrive(sql, {
    jobId: first,
    tenantId,
    mode: 'resume',
    reason: 'test',
    actor: 'test',
    expiresAt: null,
  });
  await assert.rejects(redrivenOutside(first), refused(second, 'ordering key'));
  assert.deepEqual(await jobOf(first), { status: 'PENDING', count: 1, code: null });
  await succeed(second);
  assert.equal(await holderOf('d'), first);
  await redrivenOutside(first);
});

test('of a redrive from outside and a submit at the same moment one has the key', async () => {
  for (let round = 0; round < 20; round += 1) {
    const orderingKey = `race-${round}`;
    const first = await submit({ orderingKey });
    await fail(first);
    const [opened, second] = await Promise.all([
      redrivenOutside(first).then(
        () => true,
        () => false,
      ),
      submit({ orderingKey }),
    ]);
    assert.equal(await holderOf(orderingKey), opened ? first : second);
    assert.equal((await jobOf(first)).status, opened ? 'RUNNING' : 'FAILED');
  }
});

test('a job whose uniqueKey another open job has is not opened from outside, until that one is final', async () => {
  const first = await submit({ uniqueKey: 'u' });
  await fail(first);
  const second = await submit({ uniqueKey: 'u' });
  await assert.rejects(redrivenOutside(first), refused(second, 'uniqueKey'));
  assert.deepEqual(await jobOf(first), { status: 'FAILED', count: 0, code: 'TASK_FAULT' });
  await succeed(second);
  await redrivenOutside(first);
  assert.equal((await jobOf(first)).status, 'RUNNING');
});

test('a job without its key that is opened twice at the same moment takes it once', async () => {
  for (let round = 0; round < 20; round += 1) {
    const orderingKey = `twice-${round}`;
    const job = await submit({ orderingKey });
    await fail(job);
    await Promise.all([redrivenOutside(job), redrivenOutside(job)]);
    assert.equal((await jobOf(job)).status, 'RUNNING');
    assert.equal(await holderOf(orderingKey), job);
  }
});

for (const keys of [{ uniqueKey: 'e' }, { orderingKey: 'e' }]) {
  test(`the event of such a redrive stops the execution and is not quarantined: ${Object.keys(keys)[0]}`, async () => {
    const first = await submit(keys);
    await fail(first);
    const second = await submit(keys);
    const stopped: string[][] = [];
    const deps = {
      sql,
      log: pino({ level: 'silent' }),
      random: Math.random,
      failureOf: () => Promise.reject(new Error('nobody asks')),
      shownOf: () => Promise.resolve(undefined),
      executions: { stop: async (...asked: string[]) => void stopped.push(asked) },
    };
    const executionArn = `arn:aws:states:us-east-1:000000000000:execution:pawl-echo:${first}`;
    const event = {
      'detail-type': 'Step Functions Execution Status Change',
      detail: { executionArn, name: first, status: 'RUNNING', redriveCount: 1 },
    };
    const message = {
      queue: 'execution-events',
      sqsMessageId: first,
      body: JSON.stringify(event),
      attributes: {},
      receiveCount: 1,
    } as const;
    const disposition = await applyExecutionEvent(deps, message);
    assert.equal(disposition.kind, 'done');
    const [arn, error, cause] = stopped[0] ?? [];
    assert.deepEqual([arn, error, stopped.length], [executionArn, 'JOB_NOT_RUNNABLE', 1]);
    assert.match(cause ?? '', new RegExp(`is in use by job ${second}`));
    assert.equal((await sql`select from quarantined_messages`).length, 0);
    assert.equal((await jobOf(first)).status, 'FAILED');
  });
}
