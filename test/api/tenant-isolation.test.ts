import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call } from './call.ts';
import { operationsOf } from './fuzz/operations.ts';
import { startApi } from './start-api.ts';

// Every operation of the document is tried with the keys of another tenant: those that name a job by themselves, and of
// the others those that no tenant's key reaches. Each that is left is tried here by hand; a route that is added later is in
// one of the three, or fails.
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

type Trial = () => Promise<void>;

/** What other operations a tenant's key reaches, and that they know nothing of another tenant. */
const byHand: Readonly<Record<string, Trial>> = {
  getMe: async () => {
    const { body } = await call('GET', `${api.url}/me`, { key: stranger });
    assert.equal(body['tenantId'], 'beta');
  },
  listJobTypes: async () => {
    const own = await call('GET', `${api.url}/job-types`, { key: owner });
    const other = await call('GET', `${api.url}/job-types`, { key: stranger });
    assert.deepEqual(own.body, other.body, 'job types belong to nobody');
  },
  createUpload: async () => {
    const json = { sha256: 'a'.repeat(64), size: 1, contentType: 'text/plain' };
    const { body } = await call('POST', `${api.url}/uploads`, { key: stranger, json });
    const { key } = body['payloadRef'] as { key: string };
    assert.equal(key, `payloads/beta/${json.sha256}`);
    assert.ok(String(body['uploadUrl']).includes(`/${key}?`));
  },
  completeUpload: async () => {
    // Whose upload it is, S3 knows by its key (multipart-uploads.test.ts); the key is made of the caller's tenant.
    const json = { tenantId: 'acme', key: 'payloads/acme/x' };
    const url = `${api.url}/uploads/${'a'.repeat(64)}/complete?uploadId=x&size=1&parts=1&key=payloads/acme/x`;
    assert.equal((await call('POST', url, { key: stranger, json })).status, 400);
  },
  submitJob: async () => {
    const payloadRef = { bucket: 'pawl-payloads', key: 'payloads/acme/x', sha256: 'a'.repeat(64) };
    const json = { type: 'echo', payloadRef };
    const answer = await call('POST', `${api.url}/jobs`, { key: stranger, json });
    assert.equal(answer.status, 422);
    assert.equal(answer.body.errors[0]?.pointer, '/payloadRef/key');
  },
  submitJobs: async () => {
    const payloadRef = { bucket: 'pawl-payloads', key: 'payloads/acme/x', sha256: 'a'.repeat(64) };
    for (const atomic of [true, false]) {
      const json = { atomic, jobs: [{ type: 'echo', payloadRef }] };
      const { body } = await call('POST', `${api.url}/jobs/batch`, { key: stranger, json });
      const [result] = body['results'] as { status: number }[];
      assert.equal(result?.status, 422);
    }
  },
  listJobs: async () => {
    await call('POST', `${api.url}/jobs`, { key: owner, json: { type: 'echo' } });
    const { body } = await call('GET', `${api.url}/jobs`, { key: await api.keyFor('newcomer') });
    assert.deepEqual(body['jobs'], []);
  },
  search: async () => {
    await api.sql`
      insert into search_entries (tenant_id, kind, entity_id, version, words, facts, event_id)
      values ('acme', 'document', 'd-1', 1, 'secret words', '{}', gen_random_uuid())`;
    const found = async (key: string) =>
      (await call('GET', `${api.url}/search?q=secret`, { key })).body['entries'] as unknown[];
    assert.equal((await found(owner)).length, 1);
    assert.equal((await found(stranger)).length, 0);
  },
  getWebhookSecrets: async () => {
    const secretsOf = async (key: string) =>
      (await call('GET', `${api.url}/webhook-secrets`, { key })).text;
    assert.notEqual(await secretsOf(owner), await secretsOf(stranger));
  },
  rotateWebhookSecret: async () => {
    const before = await call('GET', `${api.url}/webhook-secrets`, { key: owner });
    await call('POST', `${api.url}/webhook-secrets/rotate`, { key: stranger });
    const afterwards = await call('GET', `${api.url}/webhook-secrets`, { key: owner });
    assert.deepEqual(afterwards.body, before.body);
  },
};

for (const operation of operations) {
  const { method, path, operationId } = operation;
  if (operation.isOpen || ofJobs.includes(operation)) continue;
  const trial = byHand[operationId];
  const title =
    trial === undefined ? 'is for no tenant' : 'knows nothing of another tenant than the key’s';
  test(`${method} ${path} ${title}`, async () => {
    if (trial !== undefined) return await trial();
    const url = `${api.url}${path.replaceAll(/\{\w+\}/g, 'x')}`;
    const json = method === 'GET' ? {} : { json: {} };
    const answer = await call(method, url, { key: stranger, ...json });
    assert.equal(answer.status, 403, `a tenant's key reaches ${operationId}: try it in byHand`);
    assert.equal(answer.body.code, 'scope-missing');
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
