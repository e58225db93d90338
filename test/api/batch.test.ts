import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, type Json } from './call.ts';
import { startApi } from './start-api.ts';

const api = await startApi();
const key = await api.keyFor('acme');
const batch = (json: unknown) => call('POST', `${api.url}/jobs/batch`, { key, json });

type Result = {
  readonly status: number;
  readonly job?: Json;
  readonly problem?: Json;
  readonly replayed?: boolean;
};
const resultsOf = (body: Json): readonly Result[] => body['results'] as Result[];
const countJobs = async (): Promise<number> => {
  const [row] = await api.sql<{ count: number }[]>`select count(*)::integer as count from jobs`;
  return row?.count ?? 0;
};

const mixed = [
  { type: 'echo', idempotencyKey: 'batch-1' },
  { type: 'nope' },
  { type: 'echo', input: 1, idempotencyKey: 'batch-1' },
  { typ: 'echo' },
  { type: 'echo', idempotencyKey: 'batch-1' },
];

test('each job of a batch has its own outcome', async () => {
  const before = await countJobs();
  const handedBefore = api.handedOver.length;
  const answer = await batch({ jobs: mixed });
  assert.equal(answer.status, 200, answer.text);
  const results = resultsOf(answer.body);
  assert.deepEqual(
    results.map((result) => result.status),
    [202, 422, 422, 400, 202],
  );
  assert.equal(results[1]?.problem?.code, 'type-unknown');
  assert.equal(results[2]?.problem?.code, 'idempotency-key-reused');
  assert.ok(results[3]?.problem?.errors.some((error) => error.pointer === '/typ'));
  assert.equal(results[4]?.job?.jobId, results[0]?.job?.jobId);
  assert.equal(results[4]?.replayed, true);
  assert.equal(await countJobs(), before + 1);
  assert.equal(api.handedOver.length, handedBefore + 1);
});

test('of an atomic batch with one job that cannot be, none is stored', async () => {
  const before = await countJobs();
  const handedBefore = api.handedOver.length;
  const byRule = resultsOf(
    (await batch({ atomic: true, jobs: [{ type: 'echo' }, { type: 'nope' }] })).body,
  );
  assert.deepEqual(
    byRule.map((result) => result.status),
    [424, 422],
  );
  const unique = { type: 'echo', uniqueKey: 'one-at-a-time' };
  const bySql = resultsOf(
    (await batch({ atomic: true, jobs: [{ type: 'echo' }, unique, unique] })).body,
  );
  assert.deepEqual(
    bySql.map((result) => result.status),
    [424, 424, 409],
  );
  assert.equal(await countJobs(), before);
  assert.equal(api.handedOver.length, handedBefore);
});

test('an atomic batch is stored whole, and the same again is the same jobs', async () => {
  const jobs = Array.from({ length: 100 }, (_, index) => ({
    type: 'echo',
    input: { index },
    idempotencyKey: `atomic-${index}`,
  }));
  const first = resultsOf((await batch({ atomic: true, jobs })).body);
  assert.ok(first.every((result) => result.status === 202 && result.replayed === false));
  const second = resultsOf((await batch({ atomic: true, jobs })).body);
  assert.deepEqual(
    second.map((result) => result.job?.jobId),
    first.map((result) => result.job?.jobId),
  );
  assert.ok(second.every((result) => result.replayed === true));
});

test('a batch of none, of more than a hundred, or of no list is 400', async () => {
  for (const jobs of [[], Array.from({ length: 101 }, () => ({ type: 'echo' })), 'x']) {
    assert.equal((await batch({ jobs })).status, 400);
  }
});

test('a value that would be rounded makes the whole batch 400 with its pointer', async () => {
  const body = '{"jobs":[{"type":"echo"},{"type":"echo","input":9007199254740993}]}';
  const answer = await call('POST', `${api.url}/jobs/batch`, { key, body });
  assert.equal(answer.status, 400);
  assert.equal(answer.body.errors[0]?.pointer, '/jobs/1/input');
});
