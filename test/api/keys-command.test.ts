import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { prefixOfKey } from '../../jobs/store/api-keys.ts';
import { connectTo } from '../support/connect-test.ts';
import { testDatabase } from '../support/test-database.ts';
import { call } from './call.ts';
import { startApi } from './start-api.ts';

const database = await testDatabase();
let now = Date.now();
const api = await startApi({ sql: connectTo(database.url), clock: () => new Date(now) });
const file = fileURLToPath(new URL('../../scripts/keys.ts', import.meta.url));

type Ended = { readonly code: number; readonly out: string; readonly err: string };
const keys = (...args: readonly string[]): Promise<Ended> =>
  new Promise((resolve) => {
    const env = { ...process.env, DATABASE_URL: database.url };
    execFile(process.execPath, [file, ...args], { env }, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out: out.trim(), err });
    });
  });

test('a key that is created works, is listed without its secret, and stops when it is revoked', async () => {
  const { out: key, code } = await keys('create', '--tenant', 'acme', '--name', 'first');
  assert.equal(code, 0);
  assert.equal((await call('GET', `${api.url}/jobs`, { key })).status, 200);
  const listed = await keys('list');
  assert.match(listed.out, /first/);
  assert.ok(!listed.out.includes(key.slice(-43)));
  assert.equal((await keys('revoke', prefixOfKey(key) ?? '')).code, 0);
  now += 10_001;
  assert.equal((await call('GET', `${api.url}/jobs`, { key })).status, 401);
});

test('limits are set, kept and lifted', async () => {
  const { out: key } = await keys('create', '--tenant', 'limited');
  const set = await keys('limits', '--tenant', 'limited', '--requests-per-minute', '1');
  assert.deepEqual(JSON.parse(set.out), { maxOpenJobs: null, requestsPerMinute: 1 });
  assert.equal((await call('GET', `${api.url}/jobs`, { key })).status, 200);
  assert.equal((await call('GET', `${api.url}/jobs`, { key })).status, 429);
  const kept = await keys('limits', '--tenant', 'limited', '--max-open-jobs', '5');
  assert.deepEqual(JSON.parse(kept.out), { maxOpenJobs: 5, requestsPerMinute: 1 });
  const lifted = await keys('limits', '--tenant', 'limited', '--requests-per-minute', 'none');
  assert.deepEqual(JSON.parse(lifted.out), { maxOpenJobs: 5, requestsPerMinute: null });
});

test('what is called wrongly ends with the usage', async () => {
  for (const args of [
    [],
    ['create'],
    ['create', '--tenant', 'Not A Tenant'],
    ['create', '--tenant', 'a', '--scopes', 'ops'],
    ['create', '--tenant', 'a', '--days', 'x'],
    ['limits', '--tenant', 'nobody'],
    ['revoke', 'nothing'],
  ]) {
    const ended = await keys(...args);
    assert.equal(ended.code, 1, args.join(' '));
    assert.match(ended.err, /npm run keys/);
  }
});
