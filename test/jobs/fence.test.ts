import assert from 'node:assert/strict';
import { test } from 'node:test';
import postgres from 'postgres';
import type { Failure } from '../../jobs/failure.ts';
import type { JobId } from '../../jobs/ids.ts';
import { releaseOwner } from '../../jobs/store/dispatched-run.ts';
import { findSucceeded, finishJob } from '../../jobs/store/finish-job.ts';
import { heldBy, openRun } from '../../jobs/store/open-run.ts';
import { connectTo } from '../support/connect-test.ts';
import { seedJob } from '../support/seed-job.ts';
import { testDatabase } from '../support/test-database.ts';
import { waitFor } from '../support/wait-for.ts';

const database = await testDatabase();
const sql = connectTo(database.url);

const fenceOf = (jobId: JobId, redriveCount = 0) => ({ jobId, executionName: jobId, redriveCount });
const boom: Failure = { code: 'TASK_FAULT', message: 'boom', retryable: false, state: 'Work' };

const jobOf = async (jobId: JobId) => {
  const [row] = await sql<
    {
      status: string;
      run: number;
      redriveCount: number;
      failure: unknown;
      finishedAt: Date | null;
    }[]
  >`
    select status, run, redrive_count as "redriveCount", failure, finished_at as "finishedAt" from jobs where job_id = ${jobId}`;
  assert.ok(row);
  return row;
};
const auditOf = async (jobId: JobId) => {
  const rows = await sql<{ arrow: string }[]>`
    select from_status || ' -> ' || to_status as arrow from job_events where job_id = ${jobId} order by event_no`;
  return rows.map((row) => row.arrow);
};

test('the first task moves a PENDING job to RUNNING, the second writes nothing', async () => {
  const { jobId } = await seedJob(sql);
  await openRun(sql, fenceOf(jobId), 'task one');
  const [before] = await sql`select xmin::text from jobs where job_id = ${jobId}`;
  const job = await openRun(sql, fenceOf(jobId), 'task two');
  const [after] = await sql`select xmin::text from jobs where job_id = ${jobId}`;
  assert.equal(job.jobId, jobId);
  assert.deepEqual(after, before);
  assert.deepEqual(await auditOf(jobId), ['PENDING -> RUNNING']);
});

test('a task of an older redrive count is turned away and changes nothing', async () => {
  const { jobId } = await seedJob(sql, { status: 'RUNNING', redriveCount: 2 });
  await assert.rejects(openRun(sql, fenceOf(jobId, 1), 'task'), {
    name: 'Terminal',
    code: 'JOB_NOT_RUNNABLE',
  });
  assert.equal(
    await finishJob(sql, fenceOf(jobId, 1), { status: 'SUCCEEDED', result: {} }, 'task'),
    undefined,
  );
  assert.equal((await jobOf(jobId)).status, 'RUNNING');
  assert.deepEqual(await auditOf(jobId), []);
});

test('a redrive made outside Pawl raises a FAILED job to RUNNING and opens its next run', async () => {
  const { jobId } = await seedJob(sql, { status: 'FAILED' });
  await openRun(sql, fenceOf(jobId, 1), 'task');
  const job = await jobOf(jobId);
  assert.deepEqual(
    [job.status, job.run, job.redriveCount, job.failure, job.finishedAt],
    ['RUNNING', 2, 1, null, null],
  );
  assert.deepEqual(await auditOf(jobId), ['FAILED -> RUNNING']);
});

test('a FAILED job is not opened by a late task of the execution that failed', async () => {
  const { jobId } = await seedJob(sql, { status: 'FAILED' });
  await assert.rejects(openRun(sql, fenceOf(jobId), 'task'), { code: 'JOB_NOT_RUNNABLE' });
  assert.equal((await jobOf(jobId)).status, 'FAILED');
});

test('a task that starts while the dispatcher writes RUNNING waits for it and goes on', async () => {
  const { jobId } = await seedJob(sql);
  const dispatcher = postgres(database.url, { max: 1, fetch_types: false });
  await dispatcher`begin`;
  await dispatcher`update jobs set status = 'RUNNING' where job_id = ${jobId}`;
  const opening = openRun(sql, fenceOf(jobId), 'task');
  await waitFor(async () => {
    const waiting = await sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    return waiting.length === 1;
  }, 5_000);
  await dispatcher`commit`;
  await dispatcher.end();
  assert.equal((await opening).jobId, jobId);
});

test('a CANCELLED job is opened by nobody, whatever the redrive count', async () => {
  const { jobId } = await seedJob(sql, { status: 'CANCELLED' });
  for (const count of [0, 1]) {
    await assert.rejects(openRun(sql, fenceOf(jobId, count), 'task'), { code: 'JOB_NOT_RUNNABLE' });
  }
});

test('a task of another execution of the same job is turned away', async () => {
  const { jobId } = await seedJob(sql);
  const other = { jobId, executionName: `${jobId}-r2`, redriveCount: 0 };
  await assert.rejects(openRun(sql, other, 'task'), { code: 'JOB_NOT_RUNNABLE' });
  assert.equal((await jobOf(jobId)).status, 'PENDING');
});

test('a job ends once: the second ending, whichever it is, changes nothing', async () => {
  const { jobId } = await seedJob(sql, { status: 'RUNNING' });
  const first = await finishJob(
    sql,
    fenceOf(jobId),
    { status: 'SUCCEEDED', result: { n: 1 } },
    'task',
  );
  const finishedAt = (await jobOf(jobId)).finishedAt;
  const second = await finishJob(
    sql,
    fenceOf(jobId),
    { status: 'FAILED', failure: boom },
    'execution event',
  );
  assert.equal(first?.status, 'SUCCEEDED');
  assert.equal(second, undefined);
  assert.deepEqual((await jobOf(jobId)).finishedAt, finishedAt);
  assert.equal((await findSucceeded(sql, fenceOf(jobId)))?.jobId, jobId);
  assert.deepEqual(await auditOf(jobId), ['RUNNING -> SUCCEEDED']);
});

test('two endings at the same moment make one', async () => {
  const { jobId } = await seedJob(sql, { status: 'RUNNING' });
  const endings = await Promise.all(
    Array.from({ length: 10 }, () =>
      finishJob(sql, fenceOf(jobId), { status: 'FAILED', failure: boom }, 'event'),
    ),
  );
  assert.equal(endings.filter((ending) => ending !== undefined).length, 1);
  assert.deepEqual(await auditOf(jobId), ['RUNNING -> FAILED']);
});

test('a write that is held by a fence takes place only while the job runs under it', async () => {
  const { jobId } = await seedJob(sql, { status: 'RUNNING' });
  const write = async (redriveCount: number) =>
    await sql`with fence as (${heldBy(sql, fenceOf(jobId, redriveCount))})
      insert into job_events (job_id, tenant_id, run, actor, to_status, reason)
      select job_id, tenant_id, 1, 'test', 'RUNNING', 'held' from fence returning event_no`;
  assert.equal((await write(0)).length, 1);
  assert.equal((await write(1)).length, 0);
  await finishJob(sql, fenceOf(jobId), { status: 'FAILED', failure: boom }, 'event');
  assert.equal((await write(0)).length, 0);
});

test('a job that is redriven from outside has an owner again', async () => {
  const { jobId } = await seedJob(sql, { status: 'FAILED' });
  await sql`update jobs set owner_until = null where job_id = ${jobId}`;
  await openRun(sql, fenceOf(jobId, 1), 'task');
  const [row] = await sql`select owner_until > now() as owned from jobs where job_id = ${jobId}`;
  assert.equal(row?.['owned'], true);
});

test('an ending of the execution before a restart changes nothing, though its redrive count is the same', async () => {
  const { jobId } = await seedJob(sql, { status: 'RUNNING' });
  await sql`update jobs set execution_name = ${`${jobId}-r2`}, run = 2 where job_id = ${jobId}`;
  for (const ending of [
    { status: 'FAILED', failure: boom },
    { status: 'SUCCEEDED', result: {} },
  ] as const) {
    assert.equal(await finishJob(sql, fenceOf(jobId), ending, 'late'), undefined);
  }
  assert.equal((await jobOf(jobId)).status, 'RUNNING');
});

test('a late word of an execution’s earlier ending lets nobody go whose redrive may be running', async () => {
  const { jobId } = await seedJob(sql, { status: 'CANCELLED', redriveCount: 1 });
  const isLookedAfter = async () => {
    const [job] =
      await sql`select owner_until is not null as owned from jobs where job_id = ${jobId}`;
    return job?.['owned'];
  };
  await releaseOwner(sql, fenceOf(jobId, 0));
  assert.equal(await isLookedAfter(), true);
  await releaseOwner(sql, fenceOf(jobId, 1));
  assert.equal(await isLookedAfter(), false);
});
