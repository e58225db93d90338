import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countArrows, countJobs } from '../../jobs/store/overview-figures.ts';
import { seedJob } from '../support/seed-job.ts';
import { call } from '../api/call.ts';
import { startApi } from '../api/start-api.ts';

const api = await startApi();
const operator = await api.keyFor(null);
const client = await api.keyFor('acme');
const other = await api.keyFor('other');

test('GET /me tells a key’s tenant and scopes', async () => {
  const ofClient = await call('GET', `${api.url}/me`, { key: client });
  assert.equal(ofClient.body['tenantId'], 'acme');
  assert.deepEqual(ofClient.body['scopes'], ['jobs:read', 'jobs:write']);
  const ofOperator = await call('GET', `${api.url}/me`, { key: operator });
  assert.equal(ofOperator.body['tenantId'], null);
  assert.equal((await call('GET', `${api.url}/me`)).status, 401);
});

test('GET /job-types gives each type’s schema as plain JSON Schema', async () => {
  const { body } = await call('GET', `${api.url}/job-types`, { key: client });
  const types = body['jobTypes'] as { type: string; inputSchema: { properties?: object } }[];
  assert.deepEqual(types.map(({ type }) => type).sort(), ['echo', 'strict']);
  const strict = types.find(({ type }) => type === 'strict');
  assert.deepEqual(Object.keys(strict?.inputSchema.properties ?? {}), ['documentId', 'version']);
});

test('GET /jobs/:jobId/trail has the request, its message and each arrow, for operators only', async () => {
  const submitted = await call('POST', `${api.url}/jobs`, {
    key: client,
    json: { type: 'echo', input: { a: 1 }, tags: { team: 'claims' } },
    headers: { 'idempotency-key': 'trail-1' },
  });
  const { jobId } = submitted.body;
  const { status, body } = await call('GET', `${api.url}/jobs/${jobId}/trail`, { key: operator });
  assert.equal(status, 200);
  const request = body['request'] as Record<string, unknown>;
  assert.deepEqual(
    [request['tenantId'], request['idempotencyKey'], request['input'], request['tags']],
    ['acme', 'trail-1', { a: 1 }, { team: 'claims' }],
  );
  const events = body['events'] as { to: string; reason: string }[];
  assert.deepEqual(
    events.map(({ to, reason }) => [to, reason]),
    [['PENDING', 'submitted']],
  );
  const messages = body['messages'] as { messageType: string; receivedAt: string | null }[];
  assert.deepEqual(
    messages
      .filter(({ messageType }) => messageType === 'JobRequested')
      .map(({ receivedAt }) => receivedAt),
    [null],
  );
  for (const key of [client, other]) {
    assert.equal((await call('GET', `${api.url}/jobs/${jobId}/trail`, { key })).status, 403);
  }
});

test('what is counted for the overview: open jobs of any age, final ones of the range, arrows by code', async () => {
  const [open, failed] = await Promise.all([
    seedJob(api.sql, { type: 'counted' }),
    seedJob(api.sql, { type: 'counted' }),
  ]);
  await api.sql`update jobs set created_at = now() - interval '9 days' where job_id = ${open.jobId}`;
  await api.sql`
    update jobs set status = 'FAILED', finished_at = now(), owner_until = null,
                    failure = ${api.sql.json({ code: 'TASK_FAULT', message: 'x', retryable: false, state: null })}
    where job_id = ${failed.jobId}`;
  await api.sql`
    insert into job_events (job_id, tenant_id, run, actor, from_status, to_status, reason)
    values (${failed.jobId}, 'acme', 1, 'test', 'RUNNING', 'FAILED', 'TASK_FAULT')`;
  const jobs = (await countJobs(api.sql, 24)).filter(({ type }) => type === 'counted');
  assert.deepEqual(
    [...jobs].map(({ status, count }) => [status, count]),
    [
      ['FAILED', 1],
      ['PENDING', 1],
    ],
  );
  const arrows = await countArrows(api.sql, { hours: 24, minutes: 30 });
  const [ended] = arrows.filter(({ status }) => status === 'FAILED');
  assert.deepEqual([ended?.code, ended?.count], ['TASK_FAULT', 1]);
});

test('no address of the console reaches a file that was not built', async () => {
  for (const path of [
    'assets/../../package.json',
    'assets/..%2f..%2f..%2fpackage.json',
    'assets/%2e%2e/stamp',
    'assets/none.js',
  ]) {
    const { status, text } = await call('GET', `${api.url}/console/${path}`);
    assert.ok(!text.includes('"dependencies"'), path);
    assert.ok(status === 404 || text.includes('<div id="console">'), `${path}: ${status}`);
  }
});
