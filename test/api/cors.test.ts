import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call } from './call.ts';
import { startApi } from './start-api.ts';

const page = 'https://app.example.com';
const api = await startApi({ corsOrigins: [page] });
const closed = await startApi({ sql: api.sql });
const key = await api.keyFor('acme');

const preflight = (url: string, origin: string) =>
  call('OPTIONS', `${url}/jobs`, {
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,idempotency-key',
    },
  });

test('a page of a configured origin may submit and read what it is told', async () => {
  const asked = await preflight(api.url, page);
  assert.equal(asked.status, 204);
  assert.equal(asked.headers.get('access-control-allow-origin'), page);
  assert.match(asked.headers.get('access-control-allow-methods') ?? '', /POST/);
  assert.match(asked.headers.get('access-control-allow-headers') ?? '', /Idempotency-Key/);
  assert.equal(asked.headers.get('access-control-allow-credentials'), null);
  const answer = await call('POST', `${api.url}/jobs`, {
    key,
    json: { type: 'echo' },
    headers: { origin: page },
  });
  assert.equal(answer.status, 202);
  assert.equal(answer.headers.get('access-control-allow-origin'), page);
  assert.match(answer.headers.get('access-control-expose-headers') ?? '', /Location/);
  const refused = await call('GET', `${api.url}/jobs`, { headers: { origin: page } });
  assert.equal(refused.status, 401);
  assert.equal(refused.headers.get('access-control-allow-origin'), page, 'the page sees why');
});

test('a page of another origin may not, and where none is configured nobody may', async () => {
  for (const [url, origin] of [
    [api.url, 'https://evil.example'],
    [api.url, 'https://app.example.com.evil.example'],
    [closed.url, page],
  ] as const) {
    const asked = await preflight(url, origin);
    assert.equal(asked.status, 405, `${url} ${origin}`);
    assert.equal(asked.headers.get('access-control-allow-origin'), null);
    const answer = await call('GET', `${url}/jobs`, { key, headers: { origin } });
    assert.equal(answer.headers.get('access-control-allow-origin'), null);
    assert.equal(answer.headers.get('vary'), url === api.url ? 'Origin' : null);
  }
});
