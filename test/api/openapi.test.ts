import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { clientTypes } from '../../scripts/client-types.ts';
import { call } from './call.ts';
import { startApi } from './start-api.ts';

const api = await startApi();
const file = new URL('../../docs/openapi.json', import.meta.url);

test('docs/openapi.json is what the server says of itself', async () => {
  const { text } = await call('GET', `${api.url}/openapi.json`);
  const served: unknown = JSON.parse(text);
  const written: unknown = JSON.parse(readFileSync(file, 'utf8'));
  assert.deepEqual(written, served, 'run "npm run openapi" and commit docs/openapi.json');
});

test('the client’s types are those of the document', () => {
  const types = readFileSync(new URL('../../client/api-types.ts', import.meta.url), 'utf8');
  assert.equal(types, clientTypes(JSON.parse(readFileSync(file, 'utf8'))), 'run "npm run openapi"');
});

test('every operation has an id of its own, a summary, and says how it fails', async () => {
  const { text } = await call('GET', `${api.url}/openapi.json`);
  const { paths } = JSON.parse(text) as {
    paths: Record<
      string,
      Record<string, { operationId?: string; summary?: string; responses: object }>
    >;
  };
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  const ids = operations.map((operation) => operation.operationId);
  assert.equal(new Set(ids).size, ids.length);
  for (const { operationId, summary, responses } of operations) {
    assert.ok(operationId !== undefined && summary !== undefined, JSON.stringify(operationId));
    assert.ok('4XX' in responses && '5XX' in responses, operationId);
  }
});

test('the docs page and its script are served', async () => {
  const page = await call('GET', `${api.url}/docs/`);
  assert.equal(page.status, 200);
  assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'self'/);
  const script = /src="([^"]*swagger-initializer\.js)"/.exec(page.text)?.[1] ?? '';
  assert.equal((await call('GET', new URL(script, `${api.url}/docs/`).href)).status, 200);
});

test('metrics count requests by route', async () => {
  await call('GET', `${api.url}/healthz`);
  const { text } = await call('GET', `${api.url}/metrics`);
  assert.match(
    text,
    /pawl_http_request_duration_seconds_count\{method="GET",route="\/healthz",status="200"\} \d/,
  );
});
