import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call } from './call.ts';
import { operationsOf } from './fuzz/operations.ts';
import { startApi } from './start-api.ts';

// Every operation of the document that names a job is tried with the keys of another tenant, so that a route that is
// added later is tried too.
const api = await startApi();
const owner = await api.keyFor('acme');
const stranger = await api.keyFor('beta');
const operations = operationsOf((await call('GET', `${api.url}/openapi.json`)).text);
const ofJobs = operations.filter((operation) => operation.path.includes('{jobId}'));

test('there are operations to be tried', () => assert.ok(ofJobs.length >= 7));

for (const operation of ofJobs) {
  test(`${operation.method} ${operation.path}: another tenant’s job is not there, and is untouched`, async () => {
    const { body } = await call('POST', `${api.url}/jobs`, { key: owner, json: { type: 'echo' } });
    const url = `${api.url}${operation.path.replace('{jobId}', body.jobId)}`;
    const json = operation.method === 'GET' ? {} : { json: {} };
    const answer = await call(operation.method, url, { key: stranger, ...json });
    // 403 where no tenant's key reaches at all.
    assert.ok([403, 404].includes(answer.status), `${answer.status} ${answer.text}`);
    assert.ok(!answer.text.includes(body.jobId));
    const after = await call('GET', `${api.url}/jobs/${body.jobId}`, { key: owner });
    assert.equal(after.body.status, 'PENDING');
    assert.equal(after.headers.get('etag'), '"1"');
  });
}

test('a tenant’s list, keys and names do not meet those of another', async () => {
  const json = { type: 'echo', uniqueKey: 'same', tags: { same: 'yes' }, orderingKey: 'same' };
  const headers = { 'idempotency-key': 'same' };
  const [first, second] = [
    await call('POST', `${api.url}/jobs`, { key: owner, json, headers }),
    await call('POST', `${api.url}/jobs`, { key: stranger, json, headers }),
  ];
  assert.deepEqual([first.status, second.status], [202, 202]);
  assert.notEqual(first.body.jobId, second.body.jobId);
  for (const query of ['', 'tag=same', 'tag=same:yes', 'type=echo', 'status=PENDING']) {
    const listed = await call('GET', `${api.url}/jobs?${query}`, { key: stranger });
    const jobs = listed.body['jobs'] as { jobId: string }[];
    assert.deepEqual(
      jobs.map((job) => job.jobId),
      [second.body.jobId],
      query,
    );
  }
});
