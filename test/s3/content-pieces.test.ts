import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { ContentFiles } from '../../local/s3/store/content-files.ts';

const mebibyte = 1024 * 1024;
const dataDir = await mkdtemp(path.join(tmpdir(), 'pawl-content-'));
after(() => rm(dataDir, { recursive: true, force: true }));
const content = new ContentFiles(dataDir);
await content.recover(new Set());

async function store(bytes: number): Promise<string> {
  const incoming = await content.create();
  await incoming.write(Buffer.alloc(bytes, 'pawl'));
  return await incoming.keep();
}

test('content is read by the mebibyte: a download costs one hop to a thread for each', async () => {
  const file = await store(16 * mebibyte);
  const pieces = await Array.fromAsync(content.read([{ file, start: 0, bytes: 16 * mebibyte }]));
  assert.deepEqual(
    pieces.map(({ length }) => length),
    Array.from({ length: 16 }, () => mebibyte),
  );
});

test('a small object takes a buffer of its own size', async () => {
  const file = await store(3_000);
  const [piece, ...more] = await Array.fromAsync(content.read([{ file, start: 0, bytes: 3_000 }]));
  assert.deepEqual([piece?.length, piece?.buffer.byteLength, more.length], [3_000, 3_000, 0]);
});
