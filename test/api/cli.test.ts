import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { JobId } from '../../jobs/ids.ts';
import { finishJob } from '../../jobs/store/finish-job.ts';
import { openRun } from '../../jobs/store/open-run.ts';
import { waitFor } from '../support/wait-for.ts';
import { startApi } from './start-api.ts';

const api = await startApi();
const key = await api.keyFor('acme');
const file = fileURLToPath(new URL('../../cli/pawl.ts', import.meta.url));

type Ended = { readonly code: number; readonly out: string; readonly err: string };

const pawl = (args: readonly string[], env: Record<string, string> = {}): Promise<Ended> =>
  new Promise((resolve) => {
    const settings = { env: { ...process.env, PAWL_URL: api.url, PAWL_KEY: key, ...env } };
    execFile(process.execPath, [file, ...args], settings, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err });
    });
  });
const fence = (jobId: string) => ({ jobId: jobId as JobId, executionName: jobId, redriveCount: 0 });

test('a job is submitted, followed and shown from a terminal', async () => {
  const following = pawl(['submit', 'echo', '--input', '{"a":1}', '--tag', 'from=cli', '--wait']);
  const jobId = await waitFor(async () => {
    const [row] = await api.sql<{ id: string }[]>`select job_id as id from jobs`;
    return row?.id;
  }, 10_000);
  await openRun(api.sql, fence(jobId), 'test');
  await api.sql`
    update jobs set revision = revision + 1, progress = '{"done": 1, "total": 2, "failed": 0}' where job_id = ${jobId}`;
  await finishJob(api.sql, fence(jobId), { status: 'SUCCEEDED', result: { pages: 3 } }, 'test');
  const ended = await following;
  assert.equal(ended.code, 0, ended.err);
  assert.match(ended.out, /SUCCEEDED/);
  assert.match(ended.out, /"pages": 3/);

  assert.match((await pawl(['get', jobId])).out, /SUCCEEDED/);
  assert.equal((await pawl(['result', jobId])).out, '{"pages":3}\n');
  const listed = await pawl(['list', '--tag', 'from:cli', '--json']);
  assert.equal(JSON.parse(listed.out).jobId, jobId);
});

test('a job is watched from a terminal, with a bar for people and a line of JSON each for programs', async () => {
  const { jobId } = JSON.parse((await pawl(['submit', 'echo', '--json'])).out);
  await openRun(api.sql, fence(jobId), 'test');
  const watched = [pawl(['watch', jobId]), pawl(['watch', jobId, '--json'])];
  for (const done of [1, 2, 4]) {
    await api.sql`
      update jobs set revision = revision + 1, progress = ${api.sql.json({ done, total: 4, failed: 1 })}
      where job_id = ${jobId}`;
  }
  await finishJob(api.sql, fence(jobId), { status: 'SUCCEEDED', result: {} }, 'test');
  const [people, programs] = await Promise.all(watched);
  assert.equal(people?.code, 0, people?.err);
  assert.match(people?.out ?? '', /\[#{30}\] 4 of 4, 1 failed\n/);
  assert.match(people?.out ?? '', /SUCCEEDED\n/);
  const lines = (programs?.out ?? '').trim().split('\n');
  const values = lines.map((line): { event?: string; status?: string } => JSON.parse(line));
  assert.ok(values.some(({ event }) => event === 'progress'));
  assert.equal(values.at(-1)?.status, 'SUCCEEDED');
});

test('with --json each command gives JSON', async () => {
  const submitted = JSON.parse((await pawl(['submit', 'echo', '--json'])).out);
  const { jobId } = submitted;
  assert.equal(submitted.status, 'PENDING');
  assert.equal(JSON.parse((await pawl(['get', jobId, '--json'])).out).jobId, jobId);
  assert.equal(JSON.parse((await pawl(['cancel', jobId, '--json'])).out).status, 'CANCELLED');
  const PAWL_KEY = await api.keyFor(null);
  const redriven = await pawl(['redrive', jobId, '--json'], { PAWL_KEY });
  assert.equal(JSON.parse(redriven.out).run, 2);
});

test('a job is cancelled from a terminal, and redriven with an operator’s key', async () => {
  const { jobId } = JSON.parse((await pawl(['submit', 'echo', '--json'])).out);
  const cancelled = await pawl(['cancel', jobId, '--reason', 'a mistake']);
  assert.match(cancelled.out, /CANCELLED/);
  const refused = await pawl(['redrive', jobId]);
  assert.equal(refused.code, 1);
  assert.match(refused.err, /scope/);
  const redriven = await pawl(['redrive', jobId, '--mode', 'restart'], {
    PAWL_KEY: await api.keyFor(null),
  });
  assert.match(redriven.out, /PENDING, run 2/);
  const following = pawl(['watch', jobId]);
  const [row] = await api.sql<{ executionName: string; redriveCount: number }[]>`
    select execution_name as "executionName", redrive_count as "redriveCount" from jobs where job_id = ${jobId}`;
  const again = { ...fence(jobId), ...row };
  await openRun(api.sql, again, 'test');
  await finishJob(api.sql, again, { status: 'SUCCEEDED', result: {} }, 'test');
  const told = (await following).out;
  assert.match(told, /CANCELLED\n.*PENDING {2}run 2\n/, 'an earlier end is not the end');
  assert.match(told, /SUCCEEDED {2}run 2\n/);
});

test('what is called wrongly is told with the usage and exit code 2, what is refused with 1', async () => {
  for (const args of [
    [],
    ['fly'],
    ['get'],
    ['submit', 'echo', '--colour', 'red'],
    ['submit', 'echo', '--input', '{'],
  ]) {
    const ended = await pawl(args);
    assert.equal(ended.code, 2, args.join(' '));
    assert.match(ended.err, /npm run pawl/);
  }
  const refused = await pawl(['submit', 'nope']);
  assert.equal(refused.code, 1);
  assert.match(refused.err, /known are echo, strict/);
});
