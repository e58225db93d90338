import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { waitFor } from '../support/wait-for.ts';
import { call } from './call.ts';
import { startApi } from './start-api.ts';

/** At the beginning of a minute, as which requests are counted. */
let now = Math.ceil(Date.now() / 60_000) * 60_000;
const api = await startApi({ clock: () => new Date(now) });
const jobs = `${api.url}/jobs`;

test('a tenant over its requests a minute is told 429 and when to come again; others go on', async () => {
  const key = await api.keyFor('limited');
  await api.sql`update tenants set requests_per_minute = 3 where tenant_id = 'limited'`;
  const get = () => call('GET', jobs, { key });
  const first = await get();
  assert.equal(first.headers.get('ratelimit-policy'), '"tenant";q=3;w=60');
  assert.equal(first.headers.get('ratelimit'), '"tenant";r=2;t=60');
  await get();
  await get();
  now += 20_000;
  const refused = await get();
  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get('ratelimit'), '"tenant";r=0;t=40');
  assert.equal(refused.headers.get('retry-after'), '40');
  assert.equal(refused.body.type, 'https://iana.org/assignments/http-problem-types#quota-exceeded');
  assert.deepEqual(refused.body['violated-policies'], ['tenant']);
  const unlimited = await call('GET', jobs, { key: await api.keyFor('free') });
  assert.equal(unlimited.status, 200);
  assert.equal(unlimited.headers.get('ratelimit'), null);
  now += 40_000;
  assert.equal((await get()).status, 200);
});

test('a tenant with as many open jobs as it may have gets no more until one has ended', async () => {
  const key = await api.keyFor('small');
  await api.sql`update tenants set max_open_jobs = 2 where tenant_id = 'small'`;
  const submit = (idempotencyKey: string) =>
    call('POST', jobs, {
      key,
      json: { type: 'echo' },
      headers: { 'idempotency-key': idempotencyKey },
    });
  const first = await submit('one');
  assert.equal((await submit('two')).status, 202);
  const refused = await submit('three');
  assert.equal(refused.status, 429);
  assert.equal(refused.body.code, 'open-job-quota');
  const repeated = await submit('one');
  assert.equal(repeated.status, 202, 'a repeated request is no new job');
  await call('POST', `${jobs}/${first.body.jobId}/cancel`, { key });
  assert.equal((await submit('three')).status, 202);
});

test('a process with too much to do refuses before it promises, and says it is not ready', async () => {
  const busy = await startApi({
    sql: api.sql,
    loadLimits: { maxInFlight: -1, maxLoopDelayMs: 500 },
  });
  const key = await api.keyFor('acme');
  const answer = await call('POST', `${busy.url}/jobs`, { key, json: { type: 'echo' } });
  assert.equal(answer.status, 503);
  assert.equal(answer.body.code, 'overloaded');
  assert.ok(Number(answer.headers.get('retry-after')) >= 1);
  assert.equal((await call('GET', `${busy.url}/readyz`)).status, 503);
  assert.equal((await call('GET', `${busy.url}/healthz`)).status, 200);
});

test('requests that are held do not count as work', async () => {
  const calm = await startApi({
    sql: api.sql,
    loadLimits: { maxInFlight: 3, maxLoopDelayMs: 500 },
  });
  const key = await api.keyFor('acme');
  const { body } = await call('POST', `${calm.url}/jobs`, { key, json: { type: 'echo' } });
  const hold = () =>
    call('GET', `${calm.url}/jobs/${body.jobId}`, { key, headers: { prefer: 'wait=1' } });
  const held = [];
  for (let index = 0; index < 10; index += 1) {
    held.push(hold());
    // Until it has been looked for it is work like any other request.
    await waitFor(async () => (await call('GET', `${calm.url}/readyz`)).status === 200, 5_000);
  }
  for (const answer of await Promise.all(held)) assert.equal(answer.status, 200);
});

test('a client that does not get on with its headers is cut off', async () => {
  const { hostname, port } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  socket.write('POST /jobs HTTP/1.1\r\nHost: x\r\n');
  let text = '';
  for await (const chunk of socket.setEncoding('utf8')) text += String(chunk);
  assert.match(text, /^HTTP\/1.1 408 /);
});

test('headers that are too large are 431', async () => {
  const answer = await call('GET', `${api.url}/healthz`, {
    headers: { 'x-large': 'x'.repeat(20_000) },
  });
  assert.equal(answer.status, 431);
  assert.equal(answer.body.code, 'headers-too-large');
});
