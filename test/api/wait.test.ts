import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { createJobWatch } from '../../api/job-watch.ts';
import { parseEventId, streamEvents } from '../../api/stream-events.ts';
import type { JobId } from '../../jobs/ids.ts';
import { findJob } from '../../jobs/store/find-job.ts';
import { finishJob } from '../../jobs/store/finish-job.ts';
import { openRun } from '../../jobs/store/open-run.ts';
import { call } from './call.ts';
import { readEvents } from './read-events.ts';
import { startApi } from './start-api.ts';

const api = await startApi();
const key = await api.keyFor('acme');
const jobs = `${api.url}/jobs`;

const submit = async (): Promise<string> =>
  (await call('POST', jobs, { key, json: { type: 'echo' } })).body.jobId;
const fence = (jobId: string) => ({ jobId: jobId as JobId, executionName: jobId, redriveCount: 0 });
const succeed = (jobId: string) =>
  finishJob(api.sql, fence(jobId), { status: 'SUCCEEDED', result: { done: true } }, 'test');
const setProgress = (jobId: string, done: number) => api.sql`
  update jobs set progress = ${api.sql.json({ done, total: 3, failed: 0 })}, revision = revision + 1
  where job_id = ${jobId}`;
const hold = (jobId: string, seconds: number, headers = {}) =>
  call('GET', `${jobs}/${jobId}`, { key, headers: { prefer: `wait=${seconds}`, ...headers } });

test('a held request is answered when the job is final, not when it is only further on', async () => {
  const jobId = await submit();
  const began = performance.now();
  const answering = hold(jobId, 20);
  await openRun(api.sql, fence(jobId), 'test');
  await delay(500);
  await succeed(jobId);
  const answer = await answering;
  assert.equal(answer.body.status, 'SUCCEEDED');
  assert.equal(answer.headers.get('preference-applied'), 'wait=20');
  const ms = performance.now() - began;
  assert.ok(ms >= 500 && ms < 2000, `${ms} ms`);
});

test('a held request with an ETag is answered at the first change', async () => {
  const jobId = await submit();
  const first = await call('GET', `${jobs}/${jobId}`, { key });
  const answering = hold(jobId, 20, { 'if-none-match': first.headers.get('etag') });
  await openRun(api.sql, fence(jobId), 'test');
  const answer = await answering;
  assert.equal(answer.status, 200);
  assert.equal(answer.body.status, 'RUNNING');
});

test('when the time is over the job is told as it is, or that it is the same', async () => {
  const jobId = await submit();
  const plain = await hold(jobId, 1);
  assert.equal(plain.body.status, 'PENDING');
  const same = await hold(jobId, 1, { 'if-none-match': plain.headers.get('etag') });
  assert.equal(same.status, 304);
});

test('a final job is not waited for, and nobody waits longer than a minute', async () => {
  const jobId = await submit();
  await succeed(jobId);
  const answer = await hold(jobId, 3600);
  assert.equal(answer.body.status, 'SUCCEEDED');
  assert.equal(answer.headers.get('preference-applied'), 'wait=60');
});

test('a stream tells each arrow and each progress in order, and ends with the job', async () => {
  const jobId = await submit();
  const reading = readEvents(`${jobs}/${jobId}/events`, key);
  await reading.saw('PENDING');
  await openRun(api.sql, fence(jobId), 'test');
  await reading.saw('RUNNING');
  await setProgress(jobId, 1);
  await reading.saw('"done":1');
  await setProgress(jobId, 2);
  await reading.saw('"done":2');
  await succeed(jobId);
  const events = await reading.ended;
  assert.deepEqual(
    events.map(({ name, data }) => (name === 'status' ? data['status'] : data['done'])),
    ['PENDING', 'RUNNING', 1, 2, 'SUCCEEDED'],
  );
  assert.equal(events.at(-1)?.data['final'], true);
});

test('a stream goes on where it was cut off, and says when nothing more will come', async () => {
  const jobId = await submit();
  const first = readEvents(`${jobs}/${jobId}/events`, key);
  await first.saw('PENDING');
  first.cut();
  await openRun(api.sql, fence(jobId), 'test');
  await succeed(jobId);
  const lastId = (await first.ended).at(-1)?.id ?? '';
  const second = await readEvents(`${jobs}/${jobId}/events`, key, lastId).ended;
  assert.deepEqual(
    second.map(({ data }) => data['status']),
    ['RUNNING', 'SUCCEEDED'],
  );
  const third = await call('GET', `${jobs}/${jobId}/events`, {
    key,
    headers: { 'last-event-id': second.at(-1)?.id ?? '' },
  });
  assert.equal(third.status, 204);
});

test('a stream on which nothing happens is kept open by comments, which tell a client nothing', async () => {
  const { body } = await call('POST', `${api.url}/jobs`, { key, json: { type: 'echo' } });
  const job = await findJob(api.sql, body.jobId as JobId, 'all');
  assert.ok(job !== undefined);
  const log = pino({ level: 'silent' });
  const watch = createJobWatch({ sql: api.sql, log });
  const deps = { sql: api.sql, watch, log, heartbeatMs: 5 };
  const stream = streamEvents(deps, job, parseEventId(undefined));
  let text = '';
  for await (const chunk of stream) {
    text += String(chunk);
    if (text.split(': heartbeat\n\n').length > 3) break;
  }
  watch.close();
  const events = text.split('\n\n').filter((block) => /^event: /m.test(block));
  assert.equal(events.length, 1, text);
});

test('another tenant cannot follow a job', async () => {
  const jobId = await submit();
  const answer = await call('GET', `${jobs}/${jobId}/events`, { key: await api.keyFor('beta') });
  assert.equal(answer.status, 404);
});

test('held requests and streams end at once when the process stops', async () => {
  const stopping = await startApi({ sql: api.sql });
  const jobId = await submit();
  const held = call('GET', `${stopping.url}/jobs/${jobId}`, {
    key,
    headers: { prefer: 'wait=60' },
  });
  const stream = readEvents(`${stopping.url}/jobs/${jobId}/events`, key);
  await stream.saw('PENDING');
  const began = performance.now();
  await stopping.close();
  assert.equal((await held).body.status, 'PENDING');
  await stream.ended;
  assert.ok(performance.now() - began < 3000);
});
