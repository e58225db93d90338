import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobId } from '../../jobs/ids.ts';
import { finishJob } from '../../jobs/store/finish-job.ts';
import { call, type Json } from './call.ts';
import { startApi } from './start-api.ts';

const api = await startApi();
const jobs = `${api.url}/jobs`;

const submit = async (key: string, json: object): Promise<string> =>
  (await call('POST', jobs, { key, json })).body.jobId;

async function list(key: string, query: string): Promise<{ ids: string[]; next: string | null }> {
  const answer = await call('GET', `${jobs}?${query}`, { key });
  assert.equal(answer.status, 200, answer.text);
  const page = answer.body as unknown as { jobs: Json[]; nextCursor: string | null };
  return { ids: page.jobs.map((job) => job.jobId), next: page.nextCursor };
}

async function allPages(key: string, query: string, between = async () => {}): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page = await list(key, `${query}${cursor === '' ? '' : `&cursor=${cursor}`}`);
    ids.push(...page.ids);
    cursor = page.next;
    await between();
  }
  return ids;
}

async function fail(jobId: string, code: 'TASK_FAULT' | 'TASK_CRASHED', message: string) {
  const fence = { jobId: jobId as JobId, executionName: jobId, redriveCount: 0 };
  const failure = { code, message, retryable: false, state: null };
  await finishJob(api.sql, fence, { status: 'FAILED', failure }, 'test');
}

test('jobs are listed newest first, page by page, each once, while others are added', async () => {
  const key = await api.keyFor('paging');
  const submitted: string[] = [];
  for (let index = 0; index < 12; index += 1) submitted.push(await submit(key, { type: 'echo' }));
  const listed = await allPages(key, 'limit=5', async () => {
    await submit(key, { type: 'echo' });
  });
  assert.deepEqual(listed, submitted.toReversed());
});

test('jobs that were stored in the same instant are told apart by their ids', async () => {
  const key = await api.keyFor('instant');
  for (let index = 0; index < 7; index += 1) await submit(key, { type: 'echo' });
  await api.sql`update jobs set created_at = '2031-01-01T00:00:00.123456Z' where tenant_id = 'instant'`;
  const listed = await allPages(key, 'limit=2');
  assert.equal(new Set(listed).size, 7);
});

test('jobs are found by status, type, tag, failure and time', async () => {
  const key = await api.keyFor('finding');
  const plain = await submit(key, { type: 'echo' });
  const tagged = await submit(key, { type: 'echo', tags: { team: 'claims', urgent: '' } });
  const timed = await submit(key, { type: 'echo', tags: { team: 'a:b' } });
  const crashed = await submit(key, { type: 'echo' });
  const faulty = await submit(key, { type: 'echo' });
  await fail(crashed, 'TASK_CRASHED', 'out of memory at 50% of file_1');
  await fail(faulty, 'TASK_FAULT', 'no such COLUMN');
  await api.sql`update jobs set created_at = '2031-05-04T12:00:00Z' where job_id = ${timed}`;
  const expected: Record<string, string[]> = {
    'status=FAILED': [faulty, crashed],
    'status=PENDING': [timed, tagged, plain],
    'status=RUNNING': [],
    'type=strict': [],
    'type=echo&status=FAILED': [faulty, crashed],
    'tag=team': [timed, tagged],
    'tag=team:claims': [tagged],
    'tag=team:a:b': [timed],
    'tag=urgent:': [tagged],
    'failureCode=TASK_CRASHED': [crashed],
    'failureText=column': [faulty],
    'failureText=50%25 of file_1': [crashed],
    'failureText=file%25': [],
    'createdAfter=2031-05-04&createdBefore=2031-05-05': [timed],
    'createdAfter=2031-05-04T12:00:00Z': [],
  };
  for (const [query, ids] of Object.entries(expected)) {
    assert.deepEqual((await list(key, query)).ids, ids, query);
  }
});

test('a tenant finds its own jobs only, an operator all', async () => {
  const mine = await submit(await api.keyFor('mine'), { type: 'echo', tags: { here: 'yes' } });
  const theirs = await submit(await api.keyFor('theirs'), { type: 'echo', tags: { here: 'yes' } });
  assert.deepEqual((await list(await api.keyFor('mine'), 'tag=here')).ids, [mine]);
  assert.deepEqual((await list(await api.keyFor(null), 'tag=here')).ids, [theirs, mine]);
});

test('a query that cannot be is 400 and says where', async () => {
  const key = await api.keyFor('acme');
  const forged = Buffer.from('["2031-01-01 00:00:00+00","x"]').toString('base64url');
  for (const [query, pointer] of [
    ['status=DONE', '/status'],
    ['limit=0', '/limit'],
    ['limit=x', '/limit'],
    ['cursor=abc', '/cursor'],
    [`cursor=${forged}`, '/cursor'],
    ['createdAfter=yesterday', '/createdAfter'],
    ['colour=red', '/colour'],
    ['failureText=%00', '/failureText'],
  ] as const) {
    const answer = await call('GET', `${jobs}?${query}`, { key });
    assert.equal(answer.status, 400, query);
    assert.equal(answer.body.errors[0]?.pointer, pointer, answer.text);
  }
});
