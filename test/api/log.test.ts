import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { pino } from 'pino';
import { logError } from '../../jobs/log-error.ts';
import { call } from './call.ts';
import { startApi } from './start-api.ts';

let logged = '';
const stream = new Writable({
  write(chunk, _encoding, done) {
    logged += String(chunk);
    done();
  },
});
const api = await startApi({
  log: pino({ level: 'trace', serializers: { err: logError } }, stream),
});
const key = await api.keyFor('acme');
const secret = 'the-content-of-a-payload';
const headers = { 'idempotency-key': 'a-name-of-theirs', 'x-request-id': 'request-7' };

test('a request is logged with who and what, without its key, query and body', async () => {
  await call('POST', `${api.url}/jobs?note=${secret}`, {
    key,
    json: { type: 'echo', input: secret },
    headers,
  });
  const line = logged.split('\n').find((text) => text.includes('request-7')) ?? '{}';
  const entry: Record<string, unknown> = JSON.parse(line);
  assert.equal(entry['route'], '/jobs');
  assert.equal(entry['tenantId'], 'acme');
  assert.ok(!logged.includes(secret));
  assert.ok(!logged.includes(key.slice(-43)));
});

test('a failure on our side is logged with its stack, told as 500 without it, and neither shows the payload', async () => {
  await api.sql`alter table jobs add constraint no_more check (type <> 'echo') not valid`;
  const answer = await call('POST', `${api.url}/jobs`, {
    key,
    json: { type: 'echo', input: secret },
  });
  assert.equal(answer.status, 500);
  assert.equal(answer.body.code, 'internal-error');
  assert.doesNotMatch(answer.text, /no_more|constraint|at /);
  assert.match(logged, /no_more/);
  assert.match(logged, /"stack":"PostgresError/);
  assert.ok(!logged.includes(secret), 'the row that broke the constraint is not logged');
  await api.sql`alter table jobs drop constraint no_more`;
});
