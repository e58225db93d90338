import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobId } from '../../jobs/ids.ts';
import { finishJob } from '../../jobs/store/finish-job.ts';
import { call } from './call.ts';
import { startApi } from './start-api.ts';

const api = await startApi();
const key = await api.keyFor('acme');
const jobs = `${api.url}/jobs`;
const submit = (idempotencyKey: string, body: string) =>
  call('POST', jobs, { key, body, headers: { 'idempotency-key': idempotencyKey } });

const fence = (jobId: string) => ({
  jobId: jobId as JobId,
  executionName: jobId,
  redriveCount: 0,
});
const failure = {
  code: 'TASK_FAULT',
  message: 'on purpose',
  retryable: false,
  state: null,
} as const;

test('the same key and body are the same job, whatever the order of members and the white space', async () => {
  const first = await submit('same', '{"type":"echo","input":{"a":1,"b":[1,2]}}');
  const second = await submit('same', '{ "input": {"b": [1, 2], "a": 1.0}, "type": "echo" }');
  assert.equal(second.status, 202);
  assert.equal(second.body.jobId, first.body.jobId);
  assert.equal(first.headers.get('idempotency-replayed'), null);
  assert.equal(second.headers.get('idempotency-replayed'), 'true');
});

test('a key is the same bare and quoted', async () => {
  const bare = await submit('quoted-or-not', '{"type":"echo"}');
  const quoted = await submit('"quoted-or-not"', '{"type":"echo"}');
  assert.equal(quoted.body.jobId, bare.body.jobId);
  const escaped = await submit(String.raw`"a \"b\" \\c"`, '{"type":"echo"}');
  const plain = await submit(String.raw`a "b" \c`, '{"type":"echo"}');
  assert.equal(plain.body.jobId, escaped.body.jobId);
});

test('the same key with another body is 422 while the first job is open and when it has ended', async () => {
  const endings = {
    open: async () => undefined,
    SUCCEEDED: async (jobId: string) =>
      await finishJob(api.sql, fence(jobId), { status: 'SUCCEEDED', result: {} }, 'test'),
    FAILED: async (jobId: string) =>
      await finishJob(api.sql, fence(jobId), { status: 'FAILED', failure }, 'test'),
    CANCELLED: async (jobId: string) => await call('POST', `${jobs}/${jobId}/cancel`, { key }),
  };
  for (const [name, end] of Object.entries(endings)) {
    const first = await submit(`other-${name}`, '{"type":"echo","input":{"amount":1}}');
    await end(first.body.jobId);
    const before = await call('GET', `${jobs}/${first.body.jobId}`, { key });
    const other = await submit(`other-${name}`, '{"type":"echo","input":{"amount":2}}');
    assert.equal(other.status, 422, name);
    assert.equal(other.body.code, 'idempotency-key-reused');
    const after = await call('GET', `${jobs}/${first.body.jobId}`, { key });
    assert.deepEqual(after.body, before.body, 'the first job is untouched');
    const same = await submit(`other-${name}`, '{"type":"echo","input":{"amount":1}}');
    assert.equal(same.body.jobId, first.body.jobId);
  }
});

test('another tenant may use the same key', async () => {
  const first = await submit('shared', '{"type":"echo"}');
  const other = await call('POST', jobs, {
    key: await api.keyFor('beta'),
    json: { type: 'echo', input: { other: true } },
    headers: { 'idempotency-key': 'shared' },
  });
  assert.equal(other.status, 202);
  assert.notEqual(other.body.jobId, first.body.jobId);
});

test('a key that cannot be one is refused', async () => {
  for (const wrong of ['', '""', 'x'.repeat(256), 'caf\u00e9']) {
    const answer = await submit(wrong, '{"type":"echo"}');
    assert.equal(answer.status, 400, JSON.stringify(wrong));
    assert.equal(answer.body.code, 'invalid-idempotency-key');
  }
});

test('fifty submits at the same moment without a key are fifty jobs', async () => {
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => call('POST', jobs, { key, json: { type: 'echo' } })),
  );
  assert.equal(new Set(answers.map((answer) => answer.body.jobId)).size, 50);
});
