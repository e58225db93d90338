import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after, mock, test } from 'node:test';
import { pino } from 'pino';
import { createJobWatch } from '../../api/job-watch.ts';
import type { JobId } from '../../jobs/ids.ts';
import { connect, type Sql } from '../../jobs/store/connect.ts';
import { announceEnd, type EndedJobs, hearOfEndedJobs } from '../../jobs/store/ended-jobs.ts';
import { findJob, type JobView } from '../../jobs/store/find-job.ts';
import { finishJob } from '../../jobs/store/finish-job.ts';
import { seedJob } from '../support/seed-job.ts';
import { testDatabase } from '../support/test-database.ts';
import { waitFor } from '../support/wait-for.ts';

const { url } = await testDatabase();
const config = { url, poolSize: 4, statementTimeoutMs: 5_000, lockTimeoutMs: 2_000 };
const sql = connect(config, 'test');
const logged: string[] = [];
const log = pino(
  { level: 'info' },
  { write: (line: string) => void logged.push(JSON.parse(line).msg) },
);
const ended = hearOfEndedJobs(config, 'test waits', log);
const heard: [JobId, JobView | undefined][] = [];
ended.onEnded((jobId, read) => heard.push([jobId, read()]));
after(async () => {
  await ended.close();
  await sql.end({ timeout: 2 });
});

const { jobId } = await seedJob(sql, { status: 'RUNNING' });
const fence = { jobId, executionName: jobId, redriveCount: 0 };
const job = await finishJob(sql, fence, { status: 'SUCCEEDED', result: { lines: 2 } }, 'test');
assert.ok(job);

test('an end that is called out is heard, and again on a new connection when the old one was lost', async () => {
  await waitFor(() => ended.isListening, 5_000);
  await announceEnd(sql, job, log);
  await waitFor(() => heard.length === 1, 5_000);

  await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'test waits'`;
  await waitFor(() => !ended.isListening, 5_000);
  await announceEnd(sql, job, log); // to nobody
  await waitFor(() => ended.isListening, 5_000);
  await announceEnd(sql, job, log);
  await waitFor(() => heard.length === 2, 5_000);
  const shown = await findJob(sql, jobId, 'all');
  assert.deepEqual(heard, [
    [jobId, shown],
    [jobId, shown],
  ]);
  assert.deepEqual(logged, [
    'ended jobs are not heard of; who waits looks himself',
    'ended jobs are heard of again',
  ]);
});

test('of a job larger than a call, or told by another version, is heard that it ended; what is no call is left alone', async () => {
  heard.length = 0;
  await announceEnd(sql, { ...job, result: { text: 'ä'.repeat(4_000) } }, log);
  await sql`select pg_notify('pawl_job_ended', '{"jobId')`;
  const asAnotherVersionTellsIt = `${jobId} ${JSON.stringify({ ...job, finishedAt: undefined })}`;
  await sql`select pg_notify('pawl_job_ended', ${asAnotherVersionTellsIt})`;
  await announceEnd(sql, job, log);
  await waitFor(() => heard.length === 3, 5_000);
  assert.deepEqual(heard, [
    [jobId, undefined],
    [jobId, undefined],
    [jobId, await findJob(sql, jobId, 'all')],
  ]);
});

test('where it cannot be called out, or nobody answers, nothing is thrown and nobody waits for long', async () => {
  const broken = (() => Promise.reject(new Error('no database'))) as unknown as Sql;
  await announceEnd(broken, job, log);
  assert.match(logged.at(-1) ?? '', /was not called out/);
  const silent = (() => new Promise(() => undefined)) as unknown as Sql;
  await announceEnd(silent, job, log);
});

test('what answers nobody is left after two seconds and tried again, as is what closes at once', async () => {
  for (const treat of [() => undefined, (socket: Socket) => socket.end()]) {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.on('error', () => undefined);
      treat(socket);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const nowhere = { ...config, url: `postgres://user:password@127.0.0.1:${port}/db` };
    const before = logged.length;
    const deaf = hearOfEndedJobs(nowhere, 'test', log);
    await waitFor(() => logged.length > before, 5_000);
    const tried = connections;
    assert.equal(deaf.isListening, false);
    await waitFor(() => connections > tried, 5_000);
    await deaf.close();
    server.close();
  }
});

test('who waits is told by the call alone, before any tick, whether it holds the job or not', async () => {
  for (const isHeld of [true, false]) {
    const { jobId } = await seedJob(sql, { status: 'RUNNING' });
    const before = await findJob(sql, jobId, 'all');
    assert.ok(before);
    const hearers: Parameters<EndedJobs['onEnded']>[0][] = [];
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
      endedJobs: {
        isListening: true,
        onEnded: (hear) => hearers.push(hear),
        close: async () => {},
      },
    });
    watch.watch(before, { onChange: ({ status }) => told.push(status), onClose: () => undefined });
    const itsFence = { jobId, executionName: jobId, redriveCount: 0 };
    const finished = await finishJob(sql, itsFence, { status: 'SUCCEEDED', result: {} }, 'test');
    for (const hear of hearers) {
      hear(job.jobId, () => job); // nobody watches that one
      hear(jobId, () => (isHeld ? finished : undefined));
      hear(jobId, () => (isHeld ? finished : undefined));
    }
    const giveUpAt = performance.now() + 5_000;
    while (told.length === 0 && performance.now() < giveUpAt) await new Promise(setImmediate);
    timers.mock.restore();
    watch.close();
    assert.deepEqual(told, ['SUCCEEDED']);
  }
});
