import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call } from './call.ts';
import { startApi } from './start-api.ts';

const api = await startApi();
const key = await api.keyFor('acme');
const jobs = `${api.url}/jobs`;

test('a 202 names the job, where to look for it, and when', async () => {
  const answer = await call('POST', jobs, { key, json: { type: 'echo', input: { a: 1 } } });
  assert.equal(answer.status, 202, answer.text);
  const { jobId } = answer.body;
  assert.deepEqual(Object.keys(answer.body), ['jobId', 'type', 'status', 'createdAt', 'links']);
  assert.equal(answer.body.status, 'PENDING');
  assert.equal(answer.headers.get('location'), `/jobs/${jobId}`);
  assert.equal(answer.headers.get('retry-after'), '1');
  assert.equal(answer.headers.get('idempotency-replayed'), null);
});

test('job, first event and message are stored together, and the message is handed to the relay', async () => {
  const { body } = await call('POST', jobs, { key, json: { type: 'echo', input: { a: 1 } } });
  const [stored] = await api.sql`
    select tenant_id, input, run, execution_name, owner_until > now() as owned,
           (select count(*)::integer from job_events e where e.job_id = jobs.job_id) as events,
           (select jsonb_agg(o.envelope) from outbox o where o.job_id = jobs.job_id) as messages
    from jobs where job_id = ${body.jobId}`;
  assert.equal(stored?.['tenant_id'], 'acme');
  assert.deepEqual(stored?.['input'], { a: 1 });
  assert.equal(stored?.['execution_name'], body.jobId);
  assert.equal(stored?.['owned'], true);
  assert.equal(stored?.['events'], 1);
  const handed = api.handedOver.filter((row) => row.envelope.payload.jobId === body.jobId);
  assert.equal(handed.length, 1);
  assert.deepEqual(stored?.['messages'], [handed[0]?.envelope]);
});

test('a new job is shown with every member, null where nothing is there yet', async () => {
  const { body } = await call('POST', jobs, { key, json: { type: 'echo' } });
  const answer = await call('GET', `${jobs}/${body.jobId}`, { key });
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(answer.body, {
    jobId: body.jobId,
    type: 'echo',
    status: 'PENDING',
    run: 1,
    createdAt: body.createdAt,
    startedAt: null,
    finishedAt: null,
    progress: null,
    result: null,
    failure: null,
    execution: { name: body.jobId, arn: null, redriveCount: 0 },
    links: body.links,
  });
  assert.equal(answer.headers.get('retry-after'), '1');
  const etag = answer.headers.get('etag') ?? '';
  const again = await call('GET', `${jobs}/${body.jobId}`, {
    key,
    headers: { 'if-none-match': etag },
  });
  assert.equal(again.status, 304);
});

test('an unknown type is 422 and names the known ones', async () => {
  const answer = await call('POST', jobs, { key, json: { type: 'nope' } });
  assert.equal(answer.status, 422);
  assert.equal(answer.headers.get('content-type'), 'application/problem+json');
  assert.deepEqual(answer.body.knownTypes, ['echo', 'strict']);
});

test('all that is wrong with an input is told at once, each with its pointer', async () => {
  const json = { type: 'strict', input: { version: 0, colour: 'red' } };
  const answer = await call('POST', jobs, { key, json });
  assert.equal(answer.status, 422);
  const pointers = answer.body.errors.map((error) => error.pointer);
  assert.deepEqual(pointers.sort(), [
    '/input/colour',
    '/input/documentId',
    '/input/version',
    '/payloadRef',
  ]);
});

test('a body of another shape is 400 with all its problems', async () => {
  const json = { type: 7, tags: { 'a:b': 'c' }, notBefore: 'tomorrow', extra: 1 };
  const answer = await call('POST', jobs, { key, json });
  assert.equal(answer.status, 400);
  const pointers = new Set(answer.body.errors.map((error) => error.pointer));
  for (const pointer of ['/type', '/tags/a:b', '/notBefore', '/extra']) {
    assert.ok(pointers.has(pointer), `${pointer} in ${answer.text}`);
  }
});

test('a payload is taken from the configured bucket and the own prefix only', async () => {
  const sha256 = 'ab'.repeat(32);
  const ref = { bucket: 'pawl-payloads', key: `payloads/acme/${sha256}`, sha256 };
  const submit = (payloadRef: unknown) =>
    call('POST', jobs, { key, json: { type: 'echo', payloadRef } });
  assert.equal((await submit(ref)).status, 202);
  for (const wrong of [
    { ...ref, bucket: 'elsewhere' },
    { ...ref, key: `payloads/other/${sha256}` },
    { ...ref, key: `payloads/acme/../other/${sha256}` },
    { ...ref, key: 'payloads/acme/' },
  ]) {
    assert.equal((await submit(wrong)).status, 422, JSON.stringify(wrong));
  }
  assert.equal((await submit({ ...ref, sha256: 'AB'.repeat(32) })).status, 400);
  assert.equal((await submit({ ...ref, size: 1_000_001 })).status, 413);
});

test('a job with notBefore is stored now and sent then', async () => {
  const notBefore = new Date(Date.now() + 3_600_000).toISOString();
  const before = api.handedOver.length;
  const answer = await call('POST', jobs, { key, json: { type: 'echo', notBefore } });
  assert.equal(answer.status, 202);
  assert.equal(api.handedOver.length, before);
  const [row] = await api.sql<{ due: Date; owned: boolean }[]>`
    select next_attempt_at as due, owner_until > ${notBefore}::timestamptz as owned
    from outbox join jobs using (job_id) where job_id = ${answer.body.jobId}`;
  assert.equal(row?.due.toISOString(), notBefore);
  assert.equal(row?.owned, true);
});

test('a job that has expired before it begins is refused, a repeated request for one is not', async () => {
  const past = { type: 'echo', expiresAt: new Date(Date.now() - 1000).toISOString() };
  assert.equal((await call('POST', jobs, { key, json: past })).status, 422);
  const soon = { type: 'echo', expiresAt: new Date(Date.now() + 60_000).toISOString() };
  const headers = { 'idempotency-key': 'expires-soon' };
  const first = await call('POST', jobs, { key, json: soon, headers });
  assert.equal(first.status, 202);
  const later = await startApi({ sql: api.sql, clock: () => new Date(Date.now() + 120_000) });
  const repeated = await call('POST', `${later.url}/jobs`, { key, json: soon, headers });
  assert.equal(repeated.status, 202, repeated.text);
  assert.equal(repeated.body.jobId, first.body.jobId);
});

test('a uniqueKey is held by one open job of a type, which the refusal names', async () => {
  const json = { type: 'echo', uniqueKey: 'nightly' };
  const first = await call('POST', jobs, { key, json });
  assert.equal(first.status, 202);
  const second = await call('POST', jobs, { key, json });
  assert.equal(second.status, 409);
  assert.equal(second.body.jobId, first.body.jobId);
  await call('POST', `${jobs}/${first.body.jobId}/cancel`, { key });
  assert.equal((await call('POST', jobs, { key, json })).status, 202);
});
