import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call } from './call.ts';
import { startApi } from './start-api.ts';

const api = await startApi();
const key = await api.keyFor('acme');
const sha256 = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'; // of "hello"
const json = { sha256, size: 5, contentType: 'text/plain; charset=utf-8' };

test('an upload is signed with its checksum, length and type as headers, not in the query', async () => {
  const answer = await call('POST', `${api.url}/uploads`, { key, json });
  assert.equal(answer.status, 201, answer.text);
  const url = new URL(String(answer.body['uploadUrl']));
  const signed = url.searchParams.get('X-Amz-SignedHeaders')?.split(';');
  assert.deepEqual(signed, ['content-length', 'content-type', 'host', 'x-amz-checksum-sha256']);
  for (const name of url.searchParams.keys()) assert.doesNotMatch(name, /checksum/i);
  assert.deepEqual(answer.body['headers'], {
    'content-type': json.contentType,
    'x-amz-checksum-sha256': Buffer.from(sha256, 'hex').toString('base64'),
  });
  assert.equal(answer.body['method'], 'PUT');
  assert.deepEqual(answer.body['payloadRef'], {
    bucket: 'pawl-payloads',
    key: `payloads/acme/${sha256}`,
    sha256,
    size: 5,
  });
  assert.ok(Date.parse(String(answer.body['expiresAt'])) > Date.now());
});

test('an upload that cannot be is refused with the pointer to what is wrong', async () => {
  for (const [pointer, wrong] of [
    ['/sha256', { ...json, sha256: sha256.toUpperCase() }],
    ['/size', { ...json, size: -1 }],
    ['/size', { ...json, size: 6 * 1024 ** 3 }],
    ['/contentType', { ...json, contentType: 'text/plain\r\nx: y' }],
  ] as const) {
    const answer = await call('POST', `${api.url}/uploads`, { key, json: wrong });
    assert.equal(answer.status, 400, pointer);
    assert.deepEqual(
      answer.body.errors.map((error) => error.pointer),
      [pointer],
    );
  }
});
