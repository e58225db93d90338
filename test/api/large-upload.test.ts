import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startPawl } from '../support/start-pawl.ts';

const pawl = await startPawl();
const dir = await mkdtemp(join(tmpdir(), 'pawl-large-'));
after(async () => {
  await pawl.stop();
  await rm(dir, { recursive: true });
});
const cli = fileURLToPath(new URL('../../cli/pawl.ts', import.meta.url));

type Ended = { readonly code: number; readonly out: string; readonly err: string };
const run = (args: readonly string[]): Promise<Ended> =>
  new Promise((resolve) => {
    const { api, keys } = pawl.runtime();
    const env = { ...process.env, PAWL_URL: api, PAWL_KEY: keys.client };
    execFile(process.execPath, [cli, ...args], { env }, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err });
    });
  });

test('a file above 100 MB goes up in parts from a terminal, and its job succeeds with the hash of the whole', async () => {
  const file = join(dir, 'notes.txt');
  const mebibyte = Buffer.alloc(1024 ** 2, 'a line of a few short words, again and again\n');
  const hash = createHash('sha256');
  const handle = await open(file, 'w');
  for (let written = 0; written < 101; written += 1) {
    hash.update(mebibyte);
    await handle.write(mebibyte);
  }
  await handle.close();
  const bytes = 101 * mebibyte.length;
  const sha256 = hash.digest('hex');

  const uploaded = await run(['upload', file]);
  assert.equal(uploaded.code, 0, uploaded.err);
  const ref = JSON.parse(uploaded.out);
  assert.equal(ref.sha256, sha256);
  assert.match(ref.versionId, /./);
  assert.match(uploaded.err, /^\[\.{30}\] 0\.0 of 105\.9 MB sent\n/);
  assert.match(uploaded.err, /\[#{30}\] 105\.9 of 105\.9 MB sent\n$/);
  assert.ok(uploaded.err.split('\n').length > 4, 'it is told of parts');

  const submitted = await run([
    'submit',
    'document-metadata',
    '--input',
    '{"documentId":"large","version":1}',
    '--file',
    file,
    '--wait',
    '--json',
  ]);
  assert.equal(submitted.code, 0, submitted.err);
  assert.equal(submitted.err, '', 'no bar beside JSON');
  const job = JSON.parse(submitted.out.trim().split('\n').at(-1) ?? '');
  assert.equal(job.status, 'SUCCEEDED');
  assert.equal(job.result.bytes, bytes);
  assert.equal(job.result.sha256, sha256);
});
