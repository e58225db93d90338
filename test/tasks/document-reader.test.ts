import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { buildPdf } from '../../samples/build-pdf.ts';
import { isAlive } from '../../local/processes/liveness.ts';
import { waitFor } from '../support/wait-for.ts';
import { outcomeOf, readBytes, startReaders } from './extraction-fixture.ts';

/** Takes pdf.js some seconds. */
const slowPdf = buildPdf({
  pages: ['x'],
  deflatedContent: deflateSync(`BT /F1 12 Tf ${'(a) Tj '.repeat(8_000_000)}`),
});

test('a document that takes longer than its budget is given up, and its process ended', async () => {
  const readers = startReaders({ budgetMs: 2_000 });
  const startedAt = performance.now();
  assert.equal(await outcomeOf(readBytes(readers, slowPdf)), 'Terminal DOCUMENT_TOO_COMPLEX');
  assert.ok(performance.now() - startedAt < 8_000);
  assert.match(await outcomeOf(readBytes(readers, 'well', 'text/plain')), /"words":1/);
});

test('a document that takes more memory than there is for it is given up', async () => {
  const readers = startReaders({ memoryBytes: 180 * 1024 ** 2 });
  assert.equal(await outcomeOf(readBytes(readers, slowPdf)), 'Terminal DOCUMENT_TOO_COMPLEX');
});

test('an S3 that breaks off is not the document’s fault, and the next document is read from its start', async () => {
  const readers = startReaders();
  const broken = async () =>
    (async function* () {
      yield Buffer.from('half of ');
      throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    })();
  await assert.rejects(readers.read(broken, { bytes: 100, contentType: 'text/plain' }), {
    code: 'ECONNRESET',
  });
  assert.match(await outcomeOf(readBytes(readers, 'one two', 'text/plain')), /"words":2/);
});

test('twenty documents at once are all read, each for itself', async () => {
  const readers = startReaders();
  const texts = Array.from({ length: 20 }, (_, index) => 'word '.repeat(index + 1));
  const facts = await Promise.all(texts.map((text) => readBytes(readers, text, 'text/plain')));
  assert.deepEqual(
    facts.map(({ metadata }) => metadata['words']),
    texts.map((_, index) => index + 1),
  );
});

test('a reader in the middle of a document ends when its parent is killed', async () => {
  const script = fileURLToPath(new URL('read-process.ts', import.meta.url));
  const parent = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  parent.stdin.end(slowPdf);
  const children = `/proc/${parent.pid}/task/${parent.pid}/children`;
  const child = await waitFor(() => Number(readFileSync(children, 'utf8').trim()) || null, 10_000);
  await waitFor(() => busy(child), 10_000, 'the reader at work');
  assert.ok(isAlive(child));
  parent.kill('SIGKILL');
  await waitFor(() => !isAlive(child), 5_000, 'the end of the reader');
});

/** Whether a process has used half a second of CPU time (fields 14 and 15 of stat, in hundredths). */
function busy(pid: number): boolean {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ');
  return Number(fields[13]) + Number(fields[14]) > 50;
}
