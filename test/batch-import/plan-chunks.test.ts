import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Terminal } from '../../jobs/failure.ts';
import { maxChunkRows, maxRowBytes, planChunks } from '../../tasks/import/plan-chunks.ts';
import { readRows } from '../../tasks/import/read-rows.ts';

async function* inPieces(bytes: Buffer, size = 64 * 1024): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** The same piece again and again: a payload of any size that is nowhere in memory. */
async function* repeated(head: string, piece: string, times: number): AsyncGenerator<Buffer> {
  yield Buffer.from(head);
  const bytes = Buffer.from(piece);
  for (let turn = 0; turn < times; turn += 1) yield bytes;
}

test('chunks hold every row once, in order, within their limits; a row that is too long stands alone', async () => {
  const row = (id: number): string => {
    if (id === 1_500) return `${id},${'x'.repeat(maxRowBytes)}\n`;
    return id % 700 === 0 ? `${id},"${'y\n'.repeat(150_000)}"\n\n` : `${id},z\r\n`;
  };
  const payload = Buffer.from(
    `id,v\n${Array.from({ length: 3_000 }, (_, id) => row(id)).join('')}`,
  );
  const { format, rows, chunks } = await planChunks(inPieces(payload), 'text/csv');
  assert.equal(rows, 3_000);
  const read: number[] = [];
  for (const { start, end, line, tooLong, ...chunk } of chunks) {
    if (tooLong) {
      assert.equal(payload.subarray(start, start + 6).toString(), '1500,x');
      assert.equal(chunk.rows, 1);
      read.push(1_500);
      continue;
    }
    assert.ok(chunk.rows <= maxChunkRows && end - start <= maxRowBytes, JSON.stringify(chunk));
    const { records, columns } = format;
    const found = readRows(payload.subarray(start, end), line, {
      records,
      columns,
      keyField: 'id',
    });
    assert.equal(found.rows.length, chunk.rows);
    assert.deepEqual(found.problems, []);
    read.push(...found.rows.map(({ key }) => Number(key)));
  }
  assert.deepEqual(
    read,
    Array.from({ length: 3_000 }, (_, id) => id),
  );
});

test('more than a million rows are refused', async () => {
  const rows = repeated('id\n', '1\n'.repeat(10_000), 101);
  await assert.rejects(planChunks(rows, 'text/csv'), (error) => {
    assert.ok(error instanceof Terminal);
    assert.equal(error.code, 'PAYLOAD_TOO_LARGE');
    return true;
  });
});

test('neither a million rows nor one row of 200 MB take memory', async () => {
  const before = process.memoryUsage().rss;
  const many = await planChunks(
    repeated('id,v\n', `1,"${'v'.repeat(95)}"\n`.repeat(250), 4_000),
    'text/csv',
  );
  assert.equal(many.rows, 1_000_000);
  const long = await planChunks(repeated('id,v\n1,"', 'v'.repeat(1_000_000), 200), 'text/csv');
  assert.equal(long.rows, 1);
  assert.equal(long.chunks[0]?.tooLong, true);
  const grown = (process.memoryUsage().rss - before) / 1e6;
  assert.ok(grown < 80, `it took ${Math.round(grown)} MB`);
});
