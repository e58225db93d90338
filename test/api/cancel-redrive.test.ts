import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobId } from '../../jobs/ids.ts';
import { finishJob } from '../../jobs/store/finish-job.ts';
import { call } from './call.ts';
import { startApi } from './start-api.ts';

const api = await startApi();
const key = await api.keyFor('acme');
const operator = await api.keyFor(null);
const jobs = `${api.url}/jobs`;

const submit = async (): Promise<string> =>
  (await call('POST', jobs, { key, json: { type: 'echo' } })).body.jobId;
const fence = (jobId: string) => ({ jobId: jobId as JobId, executionName: jobId, redriveCount: 0 });
const failure = {
  code: 'TASK_FAULT',
  message: 'on purpose',
  retryable: false,
  state: null,
} as const;
const messageTypes = (jobId: string) =>
  api.handedOver
    .filter((row) => row.envelope.payload.jobId === jobId)
    .map((row) => row.envelope.messageType);

test('a job is cancelled before it is dispatched, and cancelling again changes nothing', async () => {
  const jobId = await submit();
  const first = await call('POST', `${jobs}/${jobId}/cancel`, {
    key,
    json: { reason: 'a mistake' },
  });
  assert.equal(first.status, 202, first.text);
  assert.equal(first.body.status, 'CANCELLED');
  const second = await call('POST', `${jobs}/${jobId}/cancel`, { key });
  assert.equal(second.status, 202);
  assert.equal((await call('GET', `${jobs}/${jobId}`, { key })).body.status, 'CANCELLED');
  assert.deepEqual(messageTypes(jobId), ['JobRequested', 'JobStopRequested']);
  const events =
    await api.sql`select reason, actor from job_events where job_id = ${jobId} order by event_no`;
  assert.equal(events.length, 2);
  assert.equal(events[1]?.['reason'], 'a mistake');
});

test('cancelling says what it does not undo', async () => {
  const jobId = await submit();
  await api.sql`
    insert into external_effects (effect_id, tenant_id, effect_key, job_id, execution_name, redrive_count, provider,
                                  operation, policy, status, request_hash, completed_at)
    values (gen_random_uuid(), 'acme', 'order:1:paid', ${jobId}, ${jobId}, 0, 'payment', 'charge', 'repeat',
            'COMPLETED', ${'0'.repeat(64)}, now())`;
  const answer = await call('POST', `${jobs}/${jobId}/cancel`, { key });
  assert.deepEqual(answer.body['notUndone'], [
    { effectKey: 'order:1:paid', provider: 'payment', operation: 'charge', status: 'COMPLETED' },
  ]);
});

test('a job that has ended is not cancelled', async () => {
  const jobId = await submit();
  await finishJob(api.sql, fence(jobId), { status: 'SUCCEEDED', result: { done: true } }, 'test');
  const answer = await call('POST', `${jobs}/${jobId}/cancel`, { key });
  assert.equal(answer.status, 409);
  assert.equal(answer.body.code, 'job-already-final');
});

test('a failed job is redriven once, by an operator', async () => {
  const jobId = await submit();
  await finishJob(api.sql, fence(jobId), { status: 'FAILED', failure }, 'test');
  const answers = await Promise.all(
    [1, 2].map(() =>
      call('POST', `${jobs}/${jobId}/redrive`, { key: operator, json: { reason: 'mended' } }),
    ),
  );
  assert.deepEqual(new Set(answers.map((answer) => answer.status)), new Set([202, 409]));
  const job = await call('GET', `${jobs}/${jobId}`, { key });
  assert.equal(job.body.status, 'PENDING');
  assert.equal(job.body.run, 2);
  assert.equal(job.body['failure'], null);
  assert.deepEqual(messageTypes(jobId), ['JobRequested', 'JobRedriveRequested']);
});

for (const ordered of [{}, { orderingKey: 'redriven in order' }]) {
  const kind = 'orderingKey' in ordered ? 'an ordered' : 'a';
  test(`${kind} failed job whose uniqueKey another open one has is not redriven, and says so`, async () => {
    const json = { type: 'echo', uniqueKey: `redriven ${kind}`, ...ordered };
    const { jobId } = (await call('POST', jobs, { key, json })).body;
    await finishJob(api.sql, fence(jobId), { status: 'FAILED', failure }, 'test');
    assert.equal((await call('POST', jobs, { key, json })).status, 202);
    const answer = await call('POST', `${jobs}/${jobId}/redrive`, { key: operator });
    assert.deepEqual([answer.status, answer.body.code], [409, 'unique-key-taken'], answer.text);
    assert.equal((await call('GET', `${jobs}/${jobId}`, { key })).body.status, 'FAILED');
  });
}

test('an open job and a succeeded one are not redriven', async () => {
  const jobId = await submit();
  assert.equal((await call('POST', `${jobs}/${jobId}/redrive`, { key: operator })).status, 409);
  await finishJob(api.sql, fence(jobId), { status: 'SUCCEEDED', result: {} }, 'test');
  assert.equal((await call('POST', `${jobs}/${jobId}/redrive`, { key: operator })).status, 409);
  const missing = '0198e0a0-7c1e-7a4b-9d6a-3f0c5d1e2b4a';
  assert.equal((await call('POST', `${jobs}/${missing}/redrive`, { key: operator })).status, 404);
});

test('a result is given when it is there, and parts of it by pointer', async () => {
  const jobId = await submit();
  const result = { total: 3, nested: { 'a/b': [null, 'x'] } };
  const early = await call('GET', `${jobs}/${jobId}/result`, { key });
  assert.equal(early.status, 409);
  assert.equal(early.headers.get('retry-after'), '1');
  await finishJob(api.sql, fence(jobId), { status: 'SUCCEEDED', result }, 'test');
  assert.deepEqual((await call('GET', `${jobs}/${jobId}/result`, { key })).body, result);
  const part = await call('GET', `${jobs}/${jobId}/result?part=/nested/a~1b/1`, { key });
  assert.equal(part.text, '"x"');
  assert.equal(
    (await call('GET', `${jobs}/${jobId}/result?part=/nested/none`, { key })).status,
    404,
  );
});

test('a result that is an object in the bucket is given by a presigned GET, of the own tenant only', async () => {
  const refOf = (tenant: string) => ({
    bucket: 'pawl-payloads',
    key: `payloads/${tenant}/errors.csv`,
    sha256: 'ab'.repeat(32),
  });
  const jobId = await submit();
  const result = { errorsRef: refOf('acme'), foreign: refOf('beta') };
  await finishJob(api.sql, fence(jobId), { status: 'SUCCEEDED', result }, 'test');
  const answer = await call('GET', `${jobs}/${jobId}/result?part=/errorsRef`, { key });
  assert.equal(answer.status, 303);
  assert.match(
    answer.headers.get('location') ?? '',
    /payloads\/acme\/errors\.csv\?.*X-Amz-Signature=/,
  );
  const foreign = await call('GET', `${jobs}/${jobId}/result?part=/foreign`, { key });
  assert.equal(foreign.status, 200);
});
