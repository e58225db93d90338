// Documents that want to hang, crash or fill the process: each ends with a clear code, and the next one is read.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { afterEach, test } from 'node:test';
import { createDeflate, deflateSync } from 'node:zlib';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { buildPdf } from '../../samples/build-pdf.ts';
import { outcomeOf, readBytes, startReaders } from './extraction-fixture.ts';

const readers = startReaders();
const sample = (name: string): Buffer =>
  readFileSync(fileURLToPath(new URL(`../../samples/${name}`, import.meta.url)));

const damagedOutcome = 'Terminal DOCUMENT_DAMAGED';
const tooComplexOutcome = 'Terminal DOCUMENT_TOO_COMPLEX';

afterEach(async () => {
  const { metadata } = await readBytes(readers, 'all is well', 'text/plain');
  assert.equal(metadata['words'], 3, 'the next document is read');
});

const read = (bytes: Buffer | string, contentType: string | null = null): Promise<string> =>
  outcomeOf(readBytes(readers, bytes, contentType));

test('an encrypted PDF', async () => {
  // Standard security handler, 40-bit RC4 (ISO 32000-1:2008, 7.6.3), with a password that nobody knows.
  const key = (): string => randomBytes(32).toString('hex');
  const encrypted = buildPdf({
    pages: ['secret'],
    objects: [`<< /Filter /Standard /V 1 /R 2 /O <${key()}> /U <${key()}> /P -44 >>`],
    trailer: '/Encrypt 1000 0 R /ID [<00> <00>]',
  });
  assert.equal(await read(encrypted), 'Terminal DOCUMENT_ENCRYPTED');
});

test('a PDF that is cut off anywhere', async () => {
  const whole = sample('handbook.pdf');
  for (const part of [0.02, 0.3, 0.6, 0.9]) {
    const cut = whole.subarray(0, Math.floor(whole.length * part));
    assert.equal(await read(cut, 'application/pdf'), damagedOutcome, `cut at ${part}`);
  }
});

test('what is called a PDF or an image and is none', async () => {
  assert.equal(await read('hello', 'application/pdf'), damagedOutcome);
  assert.equal(await read(Buffer.alloc(0), 'application/pdf'), damagedOutcome);
  assert.equal(await read(randomBytes(5_000), 'image/png'), damagedOutcome);
  assert.equal(await read('%PDF-1.7\nnothing more\n%%EOF'), damagedOutcome);
});

test('a PDF that claims a milliard of pages', async () => {
  const lying = buildPdf({ pages: ['one'], count: 1_000_000_000 });
  assert.match(await read(lying), /"pages":1,/, 'the pages are counted, not believed');
});

test('a PDF whose pages refer to themselves', async () => {
  const loop = buildPdf({ pages: ['one'] })
    .toString('latin1')
    .replace('/Kids [10 0 R]', '/Kids [ 2 0 R]');
  const outcome = await read(Buffer.from(loop, 'latin1'));
  assert.ok([tooComplexOutcome, damagedOutcome].includes(outcome), outcome);
});

/** A gigabyte of the same, deflated to a megabyte. */
async function gigabyteDeflated(unit: string): Promise<Buffer> {
  const deflate = createDeflate();
  const chunk = Buffer.alloc(1_000_000, unit);
  const deflated = deflate.toArray();
  for (let megabyte = 0; megabyte < 1000; megabyte += 1) {
    if (!deflate.write(chunk)) await new Promise((resolve) => deflate.once('drain', resolve));
  }
  deflate.end();
  return Buffer.concat(await deflated);
}

test('a PDF whose page unpacks to a gigabyte', async () => {
  const deflatedContent = await gigabyteDeflated('(a) Tj ');
  assert.equal(await read(buildPdf({ pages: ['x'], deflatedContent })), tooComplexOutcome);
});

test('a PDF with arrays nested a hundred thousand deep', async () => {
  const deflatedContent = deflateSync(`${'['.repeat(100_000)} TJ`);
  const nested = buildPdf({ pages: ['x'], deflatedContent });
  const outcome = await read(nested);
  assert.ok(
    [tooComplexOutcome, damagedOutcome].includes(outcome) || outcome.includes('"pages":1'),
    outcome,
  );
});

test('an image of more pixels than anybody has memory for', async () => {
  const bomb = (format: 'png' | 'webp' | 'gif', size: number): Promise<Buffer> =>
    sharp({
      create: { width: size, height: size, channels: 3, background: '#fff' },
      limitInputPixels: false,
    })
      .toFormat(format)
      .toBuffer();
  assert.equal(await read(await bomb('png', 12_000)), tooComplexOutcome);
  // The header alone, with the sizes of a bomb.
  const header = Buffer.from(sample('gradient.png'));
  header.writeUInt32BE(60_000, 16);
  header.writeUInt32BE(60_000, 20);
  const outcome = await read(header);
  assert.ok([tooComplexOutcome, damagedOutcome].includes(outcome), outcome);
});

test('an image that is cut off', async () => {
  for (const name of ['gradient.png', 'harbour.jpg', 'gradient.webp']) {
    const whole = sample(name);
    assert.equal(await read(whole.subarray(0, whole.length / 2)), damagedOutcome, name);
  }
});

test('a picture with a damaged EXIF block is read without it', async () => {
  const photo = Buffer.from(sample('harbour.jpg'));
  const at = photo.indexOf('Exif\0\0', 0, 'latin1') + 6;
  photo.fill(0xff, at + 8, at + 40);
  const { metadata } = await readBytes(readers, photo);
  assert.equal(metadata['width'], 96);
});

test('JSON that is not JSON, nested without end, or larger than is read', async () => {
  assert.equal(await read('{"a": 1,}', 'application/json'), damagedOutcome);
  assert.equal(await read('', 'application/json'), damagedOutcome);
  assert.equal(await read('['.repeat(1_000_000), 'application/json'), tooComplexOutcome);
  assert.equal(await read('{"a":'.repeat(1_000_000), 'application/json'), tooComplexOutcome);
  assert.equal(await read(`"${'\\"'.repeat(5_000_000)}`, 'application/json'), damagedOutcome);
  assert.equal(
    await read(Buffer.alloc(17 * 1024 ** 2, ' '), 'application/json'),
    tooComplexOutcome,
  );
});

test('CSV with a line without end or a quote that is never closed', async () => {
  const endless = Buffer.alloc(5_000_000, 'a,');
  assert.equal(await read(endless, 'text/csv'), tooComplexOutcome);
  const open = Buffer.concat([Buffer.from('a,b\n"'), Buffer.alloc(3_000_000, 'x\n')]);
  assert.equal(await read(open, 'text/csv'), tooComplexOutcome);
  assert.equal(await read('a,b\n"x,y\n', 'text/csv'), damagedOutcome);
});

test('CSV with more columns than are named keeps its metadata small', async () => {
  const header = Array.from(
    { length: 20_000 },
    (_, index) => `a rather long name of a column ${index}`,
  );
  const { metadata } = await readBytes(readers, `${header.join(',')}\n1,2\n`, 'text/csv');
  assert.ok(Buffer.byteLength(JSON.stringify(metadata)) < 16 * 1024);
});

test('CSV whose columns are called like an object’s own members', async () => {
  const { metadata } = await readBytes(readers, '__proto__,a,a,\n1,2,3,4\n', 'text/csv');
  assert.deepEqual(metadata['columns'], ['__proto__', 'a', 'a_3', 'column_4']);
});

test('text in an encoding that it is not said to be in, and binary called text', async () => {
  const latin1 = Buffer.from('name,city\nJosé,Málaga\n', 'latin1');
  assert.equal(await read(latin1, 'text/csv'), damagedOutcome);
  assert.match(await read(latin1, 'text/csv; charset=iso-8859-1'), /"rows":1/);
  assert.equal(await read('x', 'text/plain; charset=none-such'), damagedOutcome);
  assert.equal(await read(Buffer.from([0, 1, 2, 3]), 'text/plain'), damagedOutcome);
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('dua kata', 'utf16le')]);
  assert.match(await read(utf16, 'text/plain'), /"words":2/);
  assert.equal(
    await read(Buffer.from([0xe2, 0x82]), 'text/plain'),
    damagedOutcome,
    'cut in a character',
  );
});

test('a text of one word of forty megabytes', async () => {
  const { metadata } = await readBytes(readers, Buffer.alloc(40_000_000, 'a'), 'text/plain');
  assert.deepEqual([metadata['words'], metadata['lines']], [1, 1]);
});

test('a title of NULs and a megabyte becomes storable and short', async () => {
  const { metadata } = await readBytes(
    readers,
    buildPdf({ pages: ['x'], title: `\u0000${'t'.repeat(1_000_000)}` }),
  );
  const title = String(metadata['title']);
  assert.ok(title.length <= 512 && !title.includes('\u0000'));
});
