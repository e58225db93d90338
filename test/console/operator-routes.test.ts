import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prefixOfKey } from '../../jobs/store/api-keys.ts';
import { call } from '../api/call.ts';
import { startApi } from '../api/start-api.ts';

let now = Date.now();
const api = await startApi({ clock: () => new Date(now) });
const operator = await api.keyFor(null);
const client = await api.keyFor('acme');
const other = await api.keyFor('other');

type Listed = { readonly prefix: string; readonly tenantId: string | null; revokedAt: unknown };

test('GET /ops/keys lists keys page by page, newest first, without any secret, for operators only', async () => {
  const seen: Listed[] = [];
  let cursor: string | null = null;
  do {
    const from: string = cursor === null ? '' : `&cursor=${cursor}`;
    const { body, text } = await call('GET', `${api.url}/ops/keys?limit=1${from}`, {
      key: operator,
    });
    assert.ok(!/[A-Za-z0-9_-]{43}/.test(text), text);
    seen.push(...(body['keys'] as Listed[]));
    cursor = body['nextCursor'] as string | null;
  } while (cursor !== null);
  assert.deepEqual(
    seen.map(({ prefix, tenantId }) => [prefix, tenantId]),
    [
      [prefixOfKey(other), 'other'],
      [prefixOfKey(client), 'acme'],
      [prefixOfKey(operator), null],
    ],
  );
  const { body } = await call('GET', `${api.url}/ops/keys?tenantId=acme`, { key: operator });
  assert.equal((body['keys'] as Listed[]).length, 1);
  assert.equal((await call('GET', `${api.url}/ops/keys`, { key: client })).status, 403);
});

test('a key that is revoked stops, once, and the audit says who did it and why', async () => {
  const prefix = prefixOfKey(other) ?? '';
  const url = `${api.url}/ops/keys/${prefix}/revoke`;
  const json = { reason: 'seen in a chat' };
  assert.equal((await call('POST', url, { key: client, json })).status, 403);
  assert.equal((await call('POST', url, { key: operator, json: {} })).status, 400);
  assert.equal((await call('POST', url, { key: operator, json })).status, 200);
  now += 10_001;
  assert.equal((await call('GET', `${api.url}/jobs`, { key: other })).status, 401);
  const again = await call('POST', url, { key: operator, json });
  assert.equal(again.status, 404);
  assert.equal(again.body['code'], 'key-not-found');
  const { body } = await call('GET', `${api.url}/ops/audit?action=key.revoke`, { key: operator });
  const entries = body['entries'] as { target: string; reason: string; result: string }[];
  assert.deepEqual(
    entries.map(({ target, reason, result }) => [target, reason, result]),
    [
      [`key/${prefix}`, 'seen in a chat', 'refused: no key of this prefix is in use'],
      [`key/${prefix}`, 'seen in a chat', 'revoked'],
    ],
  );
});

test('GET /ops/state-machines says what the linter finds in each definition', async () => {
  const { status, body } = await call('GET', `${api.url}/ops/state-machines`, { key: operator });
  assert.equal(status, 200);
  const machines = body['stateMachines'] as {
    type: string;
    findings: { rule: string; what: string; why: string; mend: string }[];
  }[];
  assert.deepEqual(machines.map(({ type }) => type).sort(), ['echo', 'strict']);
  for (const finding of machines.flatMap(({ findings }) => findings)) {
    assert.ok(finding.rule !== '' && finding.what !== '' && finding.why !== '', finding.rule);
  }
  const refused = await call('GET', `${api.url}/ops/state-machines`, { key: client });
  assert.equal(refused.status, 403);
});
