import assert from 'node:assert/strict';
import { after, mock, test } from 'node:test';
import { pino } from 'pino';
import { createJobWatch } from '../../api/job-watch.ts';
import type { JobId } from '../../jobs/ids.ts';
import { connect, type Sql } from '../../jobs/store/connect.ts';
import { announceEnd, hearOfEndedJobs } from '../../jobs/store/ended-jobs.ts';
import { findJob } from '../../jobs/store/find-job.ts';
import { finishJob } from '../../jobs/store/finish-job.ts';
import { seedJob } from '../support/seed-job.ts';
import { testDatabase } from '../support/test-database.ts';
import { waitFor } from '../support/wait-for.ts';

const { url } = await testDatabase();
const config = { url, poolSize: 4, statementTimeoutMs: 5_000, lockTimeoutMs: 2_000 };
const sql = connect(config, 'test');
const ended = hearOfEndedJobs(config, 'test waits');
const heard: JobId[] = [];
ended.onEnded((jobId) => heard.push(jobId));
after(async () => {
  await ended.close();
  await sql.end({ timeout: 2 });
});

const job = (await seedJob(sql)).jobId;

test('an end that is called out is heard, and again on a new connection when the old one was lost', async () => {
  await waitFor(() => ended.isListening, 5_000);
  await announceEnd(sql, job);
  await waitFor(() => heard.length === 1, 5_000);

  await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'test waits'`;
  await waitFor(() => !ended.isListening, 5_000);
  await announceEnd(sql, job); // to nobody
  await waitFor(() => ended.isListening, 5_000);
  await announceEnd(sql, job);
  await waitFor(() => heard.length === 2, 5_000);
  assert.deepEqual(heard, [job, job]);
});

test('where it cannot be called out nothing is thrown', async () => {
  const broken = (() => Promise.reject(new Error('no database'))) as unknown as Sql;
  await announceEnd(broken, job);
});

test('who waits is told by the call alone, before any tick', async () => {
  const { jobId } = await seedJob(sql, { status: 'RUNNING' });
  const before = await findJob(sql, jobId, 'all');
  assert.ok(before);
  const hearers: ((jobId: JobId) => void)[] = [];
  const told: string[] = [];
  // Ticks do nothing; deadlines of statements are longer.
  const longestTickMs = 200;
  const setReal = globalThis.setTimeout;
  const timers = mock.method(globalThis, 'setTimeout', (work: () => void, ms: number) =>
    setReal(ms <= longestTickMs ? () => undefined : work, ms),
  );
  const watch = createJobWatch({
    sql,
    log: pino({ level: 'silent' }),
    endedJobs: { isListening: true, onEnded: (hear) => hearers.push(hear), close: async () => {} },
  });
  watch.watch(before, { onChange: ({ status }) => told.push(status), onClose: () => undefined });
  const fence = { jobId, executionName: jobId, redriveCount: 0 };
  await finishJob(sql, fence, { status: 'SUCCEEDED', result: {} }, 'test');
  for (const hear of hearers) {
    hear(job); // nobody watches that one
    hear(jobId);
    hear(jobId);
  }
  const giveUpAt = performance.now() + 5_000;
  while (told.length === 0 && performance.now() < giveUpAt) await new Promise(setImmediate);
  timers.mock.restore();
  watch.close();
  assert.deepEqual(told, ['SUCCEEDED']);
});
