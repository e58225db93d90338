import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import {
  createPawlClient,
  JobNotSucceeded,
  type JobEvent,
  PawlProblem,
  PawlUnreachable,
} from '../../client/pawl-client.ts';
import type { JobId } from '../../jobs/ids.ts';
import { finishJob } from '../../jobs/store/finish-job.ts';
import { openRun } from '../../jobs/store/open-run.ts';
import { listen } from '../../local/processes/listen.ts';
import { waitFor } from '../support/wait-for.ts';
import { startApi } from './start-api.ts';

const api = await startApi();
const key = await api.keyFor('acme');
const pawl = createPawlClient({ url: api.url, key });

const fence = (jobId: string) => ({ jobId: jobId as JobId, executionName: jobId, redriveCount: 0 });
const failure = {
  code: 'DOCUMENT_DAMAGED',
  message: 'no pages',
  retryable: false,
  state: 'Extract',
} as const;
const newestJob = async (): Promise<string | undefined> => {
  const [row] = await api.sql<{ id: string }[]>`
    select job_id as id from jobs where status = 'PENDING' order by created_at desc limit 1`;
  return row?.id;
};

test('submitAndWait gives the job when it has succeeded, and tells of its way', async () => {
  const seen: string[] = [];
  const waiting = pawl.submitAndWait(
    { type: 'echo', input: { wait: true } },
    { onProgress: (job) => seen.push(job.status) },
  );
  const jobId = await waitFor(newestJob, 2000);
  await waitFor(() => seen.includes('PENDING'), 2000);
  await openRun(api.sql, fence(jobId), 'test');
  await waitFor(() => seen.includes('RUNNING'), 2000);
  await finishJob(api.sql, fence(jobId), { status: 'SUCCEEDED', result: { pages: 3 } }, 'test');
  const job = await waiting;
  assert.deepEqual(job.result, { pages: 3 });
  assert.deepEqual(seen, ['PENDING', 'RUNNING', 'SUCCEEDED']);
  assert.deepEqual(await pawl.result(jobId), { pages: 3 });
});

test('submitAndWait throws the job that ended otherwise, with its reason', async () => {
  const waiting = pawl.submitAndWait({ type: 'echo' });
  const jobId = await waitFor(newestJob, 2000);
  await finishJob(api.sql, fence(jobId), { status: 'FAILED', failure }, 'test');
  await assert.rejects(waiting, (error) => {
    assert.ok(error instanceof JobNotSucceeded);
    assert.equal(error.job.jobId, jobId);
    assert.match(error.message, /DOCUMENT_DAMAGED: no pages/);
    return true;
  });
});

test('a refusal is thrown with all that was wrong', async () => {
  await assert.rejects(pawl.submit({ type: 'strict', input: { version: 0 } }), (error) => {
    assert.ok(error instanceof PawlProblem);
    assert.equal(error.problem.status, 422);
    assert.match(error.message, /\/input\/documentId is required/);
    return true;
  });
});

test('a job is followed to its end', async () => {
  const { jobId } = await pawl.submit({ type: 'echo' });
  const events: JobEvent[] = [];
  const following = (async () => {
    for await (const event of pawl.watch(jobId)) events.push(event);
  })();
  await waitFor(() => events.length === 1, 2000);
  await finishJob(api.sql, fence(jobId), { status: 'SUCCEEDED', result: {} }, 'test');
  await following;
  assert.deepEqual(
    events.map((event) => event.event === 'status' && event.status),
    ['PENDING', 'SUCCEEDED'],
  );
});

test('list goes through all pages', async () => {
  const client = createPawlClient({ url: api.url, key: await api.keyFor('many') });
  for (let index = 0; index < 60; index += 1) await client.submit({ type: 'echo' });
  const ids = new Set<string>();
  for await (const job of client.list()) ids.add(job.jobId);
  assert.equal(ids.size, 60);
});

test('a submit whose answer is lost is sent again with the same key: one job', async () => {
  const keys: (string | undefined)[] = [];
  let requests = 0;
  const proxy = createServer((request, response) => {
    requests += 1;
    const isFirst = requests === 1;
    keys.push(request.headers['idempotency-key']?.toString());
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      void fetch(`${api.url}${request.url}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'idempotency-key': keys.at(-1) ?? '',
        },
        body: Buffer.concat(chunks),
      }).then(async (answer) => {
        if (isFirst) request.socket.destroy();
        else
          response
            .writeHead(answer.status, { 'content-type': 'application/json' })
            .end(await answer.text());
      });
    });
  });
  const port = await listen(proxy, 0);
  after(() => proxy.close());
  const tag = { tags: { test: 'lost-answer' } };
  await createPawlClient({ url: `http://127.0.0.1:${port}`, key }).submit({ type: 'echo', ...tag });
  assert.equal(requests, 2);
  assert.equal(keys[0], keys[1]);
  const found = [];
  for await (const job of pawl.list({ tag: 'test:lost-answer' })) found.push(job);
  assert.equal(found.length, 1);
});

test('a service that is not there is told after the tries are used up', async () => {
  const nobody = createPawlClient({ url: 'http://127.0.0.1:9', key, maxTries: 2 });
  await assert.rejects(nobody.get('x'), PawlUnreachable);
});
