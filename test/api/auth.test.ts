import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createApiKey,
  listApiKeys,
  newKey,
  prefixOfKey,
  revokeApiKey,
} from '../../jobs/store/api-keys.ts';
import type { TenantId } from '../../jobs/ids.ts';
import { waitFor } from '../support/wait-for.ts';
import { call } from './call.ts';
import { startApi } from './start-api.ts';

let now = Date.now();
const api = await startApi({ clock: () => new Date(now) });
const key = await api.keyFor('acme');
const jobs = `${api.url}/jobs`;
const submitted = await call('POST', jobs, { key, json: { type: 'echo' } });
const job = `${jobs}/${submitted.body.jobId}`;

test('a request without a key, or with one that is wrong, is 401 and says how', async () => {
  const other = `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`;
  for (const authorization of [
    undefined,
    '',
    'Basic abc',
    `Bearer ${newKey()}`,
    `Bearer ${other}`,
    'Bearer x',
  ]) {
    const answer = await call('GET', job, {
      headers: authorization === undefined ? {} : { authorization },
    });
    assert.equal(answer.status, 401, authorization);
    assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer/);
  }
});

test('a key may do what its scopes say', async () => {
  const reader = await api.keyFor('acme', ['jobs:read']);
  const writer = await api.keyFor('acme', ['jobs:write']);
  assert.equal((await call('GET', job, { key: reader })).status, 200);
  assert.equal((await call('POST', jobs, { key: reader, json: { type: 'echo' } })).status, 403);
  assert.equal((await call('GET', job, { key: writer })).status, 403);
  assert.equal((await call('POST', `${job}/redrive`, { key })).status, 403);
});

test('another tenant’s job is not there, at every address it has', async () => {
  const stranger = await api.keyFor('beta');
  for (const [method, path] of [
    ['GET', ''],
    ['GET', '/result'],
    ['POST', '/cancel'],
  ] as const) {
    const answer = await call(method, `${job}${path}`, { key: stranger });
    assert.equal(answer.status, 404, path);
    assert.equal(answer.body.code, 'job-not-found');
  }
  assert.equal((await call('GET', job, { key })).body.status, 'PENDING');
});

test('an operator sees every tenant’s jobs and submits none', async () => {
  const operator = await api.keyFor(null);
  assert.equal((await call('GET', job, { key: operator })).status, 200);
  const answer = await call('POST', jobs, { key: operator, json: { type: 'echo' } });
  assert.equal(answer.status, 403);
  assert.equal(answer.body.code, 'tenant-needed');
});

test('a revoked key stops working within ten seconds', async () => {
  const revoked = await api.keyFor('acme');
  assert.equal((await call('GET', job, { key: revoked })).status, 200);
  await revokeApiKey(api.sql, prefixOfKey(revoked) ?? '');
  now += 10_001;
  assert.equal((await call('GET', job, { key: revoked })).status, 401);
});

test('a key that has expired does not work', async () => {
  const { key: expired } = await createApiKey(api.sql, {
    tenantId: 'acme' as TenantId,
    scopes: ['jobs:read'],
    name: 'short',
    expiresAt: new Date(Date.now() - 1000),
  });
  assert.equal((await call('GET', job, { key: expired })).status, 401);
});

test('of a key only the hash is kept, and when it was last used', async () => {
  const [row] = await api.sql<{ text: string }[]>`
    select jsonb_agg(api_keys)::text as text from api_keys`;
  assert.ok(!row?.text.includes(key.slice(-43)));
  await waitFor(async () => {
    const keys = await listApiKeys(api.sql);
    return keys.some((listed) => listed.prefix === prefixOfKey(key) && listed.lastUsedAt !== null);
  }, 2000);
});

test('a tenant’s key cannot have the scope ops, nor an operator’s be without it', async () => {
  const tenantId = 'acme' as TenantId;
  await assert.rejects(createApiKey(api.sql, { tenantId, scopes: ['ops'], name: 'x' }));
  await assert.rejects(createApiKey(api.sql, { tenantId: null, scopes: ['jobs:read'], name: 'x' }));
});
