import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { Problem } from '../../api/problems.ts';
import { createRefusalLog } from '../../api/refusal-log.ts';
import { pino } from 'pino';
import { removeAudit } from '../../jobs/store/remove-old.ts';
import { connectTest } from '../support/connect-test.ts';
import { waitFor } from '../support/wait-for.ts';
import { call } from './call.ts';
import { startApi } from './start-api.ts';

const api = await startApi({ callbackAllowPrivate: false });
const operator = await api.keyFor(null);
const owner = await api.keyFor('acme');
const stranger = await api.keyFor('beta');
const jobs = `${api.url}/jobs`;

type Entry = {
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly jobId: string | null;
  readonly reason: string;
  readonly result: string;
  readonly details: Readonly<Record<string, unknown>>;
};

/** The audit of one kind of refusal, as soon as so many of them are written down. */
const audited = (code: string, times = 1): Promise<readonly Entry[]> =>
  waitFor(
    async () => {
      const url = `${api.url}/ops/audit?action=refused.${code}`;
      const answer = await call('GET', url, { key: operator });
      assert.equal(answer.status, 200, answer.text);
      const entries = answer.body['entries'] as Entry[];
      const written = entries.reduce((sum, { details }) => sum + Number(details['times']), 0);
      return written >= times && entries;
    },
    15_000,
    `refused.${code} to be audited`,
  );

const submit = (key: string, json: object, headers: Record<string, string> = {}) =>
  call('POST', jobs, { key, json: { type: 'echo', ...json }, headers });

test('what a caller may not is audited once an hour with how often it was tried', async () => {
  const { body: job } = await submit(owner, {});
  const readOnly = await api.keyFor('acme', ['jobs:read']);
  for (let tries = 0; tries < 3; tries += 1) await submit(readOnly, {});
  await call('GET', `${jobs}/${job.jobId}`, { key: stranger });
  await call('GET', `${jobs}/0198e0a0-7c1e-7a4b-9d6a-3f0c5d1e2b4a`, { key: owner });
  await submit(owner, {
    payloadRef: { bucket: 'pawl-payloads', key: 'payloads/beta/x', sha256: 'a'.repeat(64) },
  });
  await submit(owner, { callback: { url: 'http://169.254.169.254/latest/meta-data' } });
  await submit(owner, {}, { 'idempotency-key': 'same' });
  await submit(owner, { input: { other: true } }, { 'idempotency-key': 'same' });
  await call('POST', `${jobs}/batch`, {
    key: stranger,
    json: { jobs: [{ type: 'echo', callback: { url: 'http://localhost/' } }] },
  });
  await call('POST', jobs, { key: operator, json: { type: 'echo' } });

  const [scope, ...others] = await audited('scope-missing', 3);
  assert.deepEqual(others, []);
  assert.match(scope?.actor ?? '', /^key [0-9a-f-]{36}$/);
  assert.equal(scope?.target, 'POST /jobs');
  assert.match(scope?.reason ?? '', /jobs:write/);
  assert.equal(scope?.result, '403, 3 times within the hour');
  assert.equal(scope?.details['tenantId'], 'acme');

  const [foreign, ...more] = await audited('other-tenants-job');
  assert.deepEqual(more, [], 'a job that is nobody’s is only not there');
  assert.equal(foreign?.jobId, job.jobId);
  assert.equal(foreign?.details['tenantId'], 'beta');
  assert.equal(foreign?.target, 'GET /jobs/:jobId');

  assert.match(
    (await audited('payload-elsewhere'))[0]?.reason ?? '',
    /\/payloadRef\/key must start/,
  );
  const addresses = await audited('callback-address', 2);
  assert.deepEqual(addresses.map(({ target }) => target).sort(), [
    'POST /jobs',
    'POST /jobs/batch',
  ]);
  assert.equal((await audited('idempotency-key-reused'))[0]?.result, '422');
  assert.match((await audited('tenant-needed'))[0]?.actor ?? '', /^operator key /);
});

test('a key that was right once is audited, a guessed one is not', async () => {
  for (const [column, code] of [
    ['revoked_at', 'key-revoked'],
    ['expires_at', 'key-expired'],
  ] as const) {
    const key = await api.keyFor('acme');
    await api.sql`update api_keys set ${api.sql(column)} = now() where prefix = ${key.slice(5, 17)}`;
    assert.equal((await call('GET', jobs, { key })).status, 401);
    const guessed = `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`;
    assert.equal((await call('GET', jobs, { key: guessed })).status, 401);
    const entries = await audited(code);
    assert.equal(entries.length, 1);
    assert.equal(entries[0]?.result, '401');
    assert.equal(entries[0]?.details['tenantId'], 'acme');
  }
});

test('a tenant over its limits is audited', async () => {
  const key = await api.keyFor('small');
  await api.sql`update tenants set max_open_jobs = 1 where tenant_id = 'small'`;
  assert.equal((await submit(key, {})).status, 202);
  assert.equal((await submit(key, {})).status, 429);
  const hasty = await api.keyFor('hasty');
  await api.sql`update tenants set requests_per_minute = 1 where tenant_id = 'hasty'`;
  const first = await call('GET', jobs, { key: hasty });
  const second = await call('GET', jobs, { key: hasty });
  // A minute may have begun between them.
  const third = await call('GET', jobs, { key: hasty });
  assert.equal(first.status, 200);
  assert.ok([second.status, third.status].includes(429));
  assert.equal((await audited('open-job-quota'))[0]?.details['tenantId'], 'small');
  assert.equal((await audited('rate-limited'))[0]?.details['tenantId'], 'hasty');
});

test('an answer of a provider whose signature does not fit is audited as nobody’s', async () => {
  const secret = `whsec_${Buffer.from('the secret of a payment provider').toString('base64')}`;
  const signed = await startApi({ sql: api.sql, paymentWebhookSecret: secret });
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', 'another secret').update('x').digest('base64');
  const { body: job } = await submit(owner, {});
  const callbackId = 'a'.repeat(43);
  await api.sql`
    insert into callbacks (callback_id, tenant_id, job_id, provider, effect_key, execution_name, redrive_count, task_token)
    values (${callbackId}, 'acme', ${job.jobId}, 'payment', 'order:1', 'e', 0, 't')`;
  const answer = await call('POST', `${signed.url}/callbacks/${callbackId}`, {
    json: {},
    headers: {
      'webhook-id': 'm-1',
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    },
  });
  assert.equal(answer.status, 401, answer.text);
  const [entry] = await audited('signature-invalid');
  assert.equal(entry?.actor, 'nobody');
  assert.equal(entry?.details['tenantId'], null);
});

test('ten thousand refusals are one row, and good requests none', async () => {
  const written = await startApi();
  const key = await written.keyFor('acme', ['jobs:read']);
  const warned: string[] = [];
  const lines = { write: (line: string) => warned.push(line) };
  const log = createRefusalLog({
    sql: written.sql,
    clock: () => new Date(),
    log: pino({ level: 'warn' }, lines),
  });
  const request = (keyId: string, jobId = '') =>
    ({
      method: 'GET',
      id: 'r-1',
      params: { jobId },
      routeOptions: { url: '/jobs/:jobId' },
      caller: { keyId, tenantId: 'acme', scopes: [] },
    }) as never;
  for (let tries = 0; tries < 10_000; tries += 1) {
    log.note(new Problem('scope-missing'), request('one'));
    log.note(new Problem('job-not-found'), request('one', guessedJob(tries)));
  }
  for (let caller = 0; caller < 1_000; caller += 1) {
    log.note(new Problem('rate-limited'), request(`caller-${caller}`));
  }
  assert.equal((await call('GET', `${written.url}/jobs`, { key })).status, 200);
  await log.stop();
  const rows = await written.sql`
    select code, count(*)::integer as rows, sum(times)::integer as times from refusals group by code order by code`;
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    [
      { code: 'rate-limited', rows: 399, times: 399 },
      { code: 'scope-missing', rows: 1, times: 10_000 },
    ],
  );
  assert.equal(warned.length, 1);
  assert.equal(JSON.parse(warned[0] ?? '').dropped, 9_900 + 601);
});

test('refusals are kept as long as the audit is', async () => {
  const kept = await connectTest();
  await kept`
    insert into refusals (hour_at, actor, code, route, status, times, first_at, last_at, detail, request_id)
    select at, 'key k', 'scope-missing', 'POST /jobs', 403, 1, at, at, 'the scope jobs:write is needed', 'r-1'
    from (values (now() - interval '401 days'), (now() - interval '399 days')) as t (at)`;
  assert.equal(await removeAudit(kept, 400, 1000), 1);
  const left = await kept`select first_at > now() - interval '400 days' as young from refusals`;
  assert.deepEqual(
    left.map((row) => ({ ...row })),
    [{ young: true }],
  );
});

const guessedJob = (n: number): string =>
  `0198e0a0-7c1e-7a4b-9d6a-${n.toString(16).padStart(12, '0')}`;
