import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { call } from './call.ts';
import { startApi } from './start-api.ts';

const api = await startApi();
const key = await api.keyFor('acme');

const cases: readonly [title: string, status: number, Promise<Response>][] = [
  ['an address that is not there', 404, fetch(`${api.url}/nothing`)],
  ['a method that an address does not take', 405, fetch(`${api.url}/jobs`, { method: 'DELETE' })],
  ['no key', 401, fetch(`${api.url}/jobs/1`)],
  ['a body without a type', 415, post('{"type":"echo"}', null)],
  ['a body of another type', 415, post('<job/>', 'application/xml')],
  ['a body that says it is JSON of a form', 415, post('a=b', 'application/x-www-form-urlencoded')],
  [
    'a body that is too large',
    413,
    post(JSON.stringify('x'.repeat(2_000_000)), 'application/json'),
  ],
  ['a body that is not JSON', 400, post('{', 'application/json')],
  ['no body', 400, post('', 'application/json')],
  ['an address that cannot be decoded', 404, fetch(`${api.url}/jobs/%ff`)],
];

function post(body: string, type: string | null): Promise<Response> {
  return fetch(`${api.url}/jobs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, ...(type === null ? {} : { 'content-type': type }) },
    body: type === null ? new Blob([body]) : body,
  });
}

for (const [title, status, answering] of cases) {
  test(`${title} is ${status}, told as a problem`, async () => {
    const response = await answering;
    const text = await response.text();
    assert.equal(response.status, status, text);
    assert.equal(response.headers.get('content-type'), 'application/problem+json');
    const problem: Record<string, unknown> = JSON.parse(text);
    assert.equal(problem['status'], status);
    assert.match(String(problem['type']), /^urn:pawl:problem:/);
    assert.equal(problem['requestId'], response.headers.get('x-request-id'));
    assert.doesNotMatch(text, /\bat .*\.ts|node_modules/);
  });
}

test('405 says which methods there are', async () => {
  const answer = await call('PUT', `${api.url}/jobs`);
  assert.match(answer.headers.get('allow') ?? '', /POST/);
});

test('what is no HTTP is answered 400 and the connection closed', async () => {
  const { hostname, port } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  socket.end('NOT HTTP\r\n\r\n');
  let text = '';
  for await (const chunk of socket.setEncoding('utf8')) text += String(chunk);
  assert.match(text, /^HTTP\/1.1 400 /);
  assert.match(text, /application\/problem\+json/);
});

test('the caller’s request id is kept where it is harmless', async () => {
  const kept = await call('GET', `${api.url}/healthz`, { headers: { 'x-request-id': 'abc-123' } });
  assert.equal(kept.headers.get('x-request-id'), 'abc-123');
  const replaced = await call('GET', `${api.url}/healthz`, {
    headers: { 'x-request-id': 'a b{c}' },
  });
  assert.match(replaced.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
});

test('answers carry the headers that keep browsers from guessing, and no CORS', async () => {
  const answer = await call('GET', `${api.url}/healthz`, {
    headers: { origin: 'https://evil.example' },
  });
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
  assert.equal(answer.headers.get('access-control-allow-origin'), null);
  assert.equal(answer.headers.get('server'), null);
});
