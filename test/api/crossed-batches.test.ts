import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, type Json } from './call.ts';
import { countDeadlocks, toldDeadlocks } from '../support/end-other-backends.ts';
import { waitFor } from '../support/wait-for.ts';
import { startApi } from './start-api.ts';

const api = await startApi();
const key = await api.keyFor('acme');
const batch = async (jobs: readonly object[]) =>
  await call('POST', `${api.url}/jobs/batch`, { key, json: { atomic: true, jobs } });
const statusesOf = (body: Json): number[] =>
  (body['results'] as { readonly status: number }[]).map(({ status }) => status);

const waitingForLocks = async (): Promise<number> => {
  const rows = await api.sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return rows.length;
};

/** Names in one order and in the other, many times at the same moment. */
async function crossed(toJob: (name: string) => object): Promise<number[][]> {
  const names = Array.from({ length: 8 }, (_, index) => `name-${index}`);
  const answers = await Promise.all(
    Array.from({ length: 16 }, (_, index) =>
      batch((index % 2 === 0 ? names : names.toReversed()).map(toJob)),
    ),
  );
  return answers.map((answer) => {
    assert.equal(answer.status, 200, answer.text);
    return statusesOf(answer.body);
  });
}

test('atomic batches whose ordering keys cross do not wait for each other in a circle', async () => {
  const statuses = await crossed((orderingKey) => ({ type: 'echo', orderingKey }));
  assert.ok(statuses.flat().every((status) => status === 202));
  assert.equal(await countDeadlocks(api.sql), 0);
  const [row] = await api.sql<{ keys: number; waiting: number }[]>`
    select (select count(*) from ordering_keys)::integer as keys,
           (count(*) filter (where next_attempt_at = 'infinity'))::integer as waiting from outbox`;
  assert.deepEqual({ ...row }, { keys: 8, waiting: 15 * 8 });
});

test('jobs of one ordering key are accepted in the order in which they stand in the batch', async () => {
  const jobs = ['b', 'a', 'b', 'a'].map((orderingKey, index) => ({
    type: 'echo',
    orderingKey: `order-${orderingKey}`,
    input: { index },
  }));
  assert.deepEqual(statusesOf((await batch(jobs)).body), [202, 202, 202, 202]);
  const rows = await api.sql<{ index: number }[]>`
    select (input ->> 'index')::integer as index from jobs where ordering_key like 'order-%' order by accepted_no`;
  assert.deepEqual(
    rows.map(({ index }) => index),
    [0, 1, 2, 3],
  );
});

test('where idempotency keys cross, one batch makes the jobs and the others find them', async () => {
  const statuses = await crossed((idempotencyKey) => ({ type: 'echo', idempotencyKey }));
  assert.ok(statuses.flat().every((status) => status === 202));
  const [row] = await api.sql<{ count: number }[]>`
    select count(*)::integer as count from jobs where idempotency_key like 'name-%'`;
  assert.equal(row?.count, 8);
});

test('a batch that meets somebody else in a circle is rolled back by PostgreSQL and tried again', async () => {
  const before = await toldDeadlocks(api.sql);
  const taken = Promise.withResolvers<void>();
  // As a job's end does that hands its key on: it holds one thing the batch wants, and waits for the other.
  const other = api.sql.begin(async (tx) => {
    await tx`insert into ordering_keys (tenant_id, ordering_key, current_job) values ('acme', 'second', gen_random_uuid())`;
    taken.resolve();
    await waitFor(async () => (await waitingForLocks()) > 0, 5_000);
    await tx`set local deadlock_timeout = '60s'`; // not this one finds it
    await tx`insert into ordering_keys (tenant_id, ordering_key, current_job) values ('acme', 'first', gen_random_uuid())
             on conflict do nothing`;
    await tx`delete from ordering_keys where ordering_key in ('first', 'second')`;
  });
  await taken.promise;
  const answer = await batch([
    { type: 'echo', orderingKey: 'first' },
    { type: 'echo', orderingKey: 'second' },
  ]);
  await other;
  assert.deepEqual(statusesOf(answer.body), [202, 202], answer.text);
  await waitFor(
    async () => (await toldDeadlocks(api.sql)) === before + 1,
    15_000,
    'the deadlock to be counted',
  );
});
