import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { startStubProvider } from '../effects/stub-provider.ts';
import {
  putPayload,
  seedDocumentJob,
  sha256Of,
  startTaskWorld,
  webhookSecret,
} from '../tasks/task-fixture.ts';
import { runMachine } from './run-machine.ts';

const provider = await startStubProvider();
const { deps, sql, s3 } = await startTaskWorld({ webhook: { url: provider.url } });
const sample = (name: string): Buffer =>
  readFileSync(fileURLToPath(new URL(`../../samples/${name}`, import.meta.url)));

const exifOf = (metadata: Record<string, unknown>): Record<string, unknown> =>
  metadata['exif'] as Record<string, unknown>;

const expected: Readonly<Record<string, readonly [contentType: string, metadata: unknown]>> = {
  'handbook.pdf': [
    'application/pdf',
    { pages: 2, title: 'The Ratchet Handbook', author: 'Pawl', words: 62, language: 'en' },
  ],
  'panduan.pdf': [
    'application/pdf',
    { pages: 1, title: 'Panduan Pengguna', author: null, words: 24, language: 'id' },
  ],
  'gradient.png': ['image/png', { width: 96, height: 64, format: 'png', exif: null }],
  'gradient.webp': ['image/webp', { width: 96, height: 64, format: 'webp', exif: null }],
  'orders.csv': [
    'text/csv',
    {
      columns: ['order_id', 'sku', 'quantity', 'unit_price', 'paid', 'ordered_on', 'note'],
      rows: 3,
      types: {
        order_id: 'string',
        sku: 'string',
        quantity: 'integer',
        unit_price: 'integer',
        paid: 'boolean',
        ordered_on: 'date',
        note: 'string',
      },
    },
  ],
  'letter.txt': ['text/plain', { words: 32, lines: 4, characters: 163, language: 'en' }],
  'catalogue.json': [
    'application/json',
    { type: 'object', keys: ['name', 'currency', 'items'], keyCount: 3, depth: 4 },
  ],
};

for (const [name, [contentType, metadata]] of Object.entries(expected)) {
  for (const declared of [contentType, 'application/octet-stream']) {
    test(`${name}, uploaded as ${declared}, is read to its metadata`, async () => {
      const bytes = sample(name);
      const reference = await putPayload(s3, bytes, declared);
      const input = { documentId: `${name} as ${declared}`, version: 1 };
      const jobId = await seedDocumentJob(sql, input, reference);
      await runMachine(deps, jobId);
      const [job] = await sql`select status, result from jobs where job_id = ${jobId}`;
      assert.equal(job?.['status'], 'SUCCEEDED');
      const sha256 = sha256Of(bytes);
      assert.deepEqual(job?.['result'], { contentType, bytes: bytes.length, sha256, metadata });
    });
  }
}

test('harbour.jpg, a photograph, is read to its size and EXIF', async () => {
  const reference = await putPayload(s3, sample('harbour.jpg'), 'image/jpeg');
  const jobId = await seedDocumentJob(sql, { documentId: 'harbour', version: 1 }, reference);
  const { result } = await runMachine(deps, jobId);
  const { exif, ...rest } = result['metadata'] as Record<string, unknown>;
  assert.deepEqual(rest, { width: 96, height: 64, format: 'jpeg' });
  const { Make, FNumber, DateTimeOriginal } = exifOf({ exif });
  assert.deepEqual([Make, FNumber, DateTimeOriginal], ['Pawl', 2.8, '2026-03-14T09:26:53.000Z']);
});

test('a file of a kind that is not known gets a plain answer', async () => {
  const reference = await putPayload(s3, Buffer.from([0x50, 0x4b, 3, 4, 0, 0]), 'application/zip');
  const jobId = await seedDocumentJob(sql, { documentId: 'zip', version: 1 }, reference);
  const { result } = await runMachine(deps, jobId);
  assert.deepEqual(
    [result['contentType'], result['metadata']],
    ['application/zip', { kind: 'unknown' }],
  );
});

test('the webhook is signed as Standard Webhooks says, once, with the effect’s key', async () => {
  const reference = await putPayload(s3, sample('letter.txt'), 'text/plain');
  const jobId = await seedDocumentJob(sql, { documentId: 'résumé 1', version: 3 }, reference);
  await runMachine(deps, jobId);
  const posts = provider.posts().filter(({ body }) => body.includes('résumé 1'));
  assert.equal(posts.length, 1);
  const [post] = posts;
  const headers = post?.headers as Record<string, string>;
  const verified = new Webhook(webhookSecret).verify(post?.body ?? '', headers);
  const { type, data } = verified as { type: string; data: Record<string, unknown> };
  assert.equal(type, 'document.indexed');
  assert.deepEqual(
    [data['tenantId'], data['documentId'], data['version'], data['sha256']],
    ['acme', 'résumé 1', 3, reference.sha256],
  );
  assert.equal(post?.key, 'acme/document:r%C3%A9sum%C3%A9%201:3:indexed');
  const [effect] = await sql`
    select effect_key, status from external_effects where job_id = ${jobId}`;
  assert.deepEqual(
    { ...effect },
    { effect_key: 'document:résumé 1:3:indexed', status: 'COMPLETED' },
  );
});
