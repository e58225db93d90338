import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { DescribeMapRunCommand, ListMapRunsCommand } from '@aws-sdk/client-sfn';
import { waitFor } from '../support/wait-for.ts';
import { startImportLab } from './import-lab.ts';

const lab = await startImportLab();

const generous = { keyField: 'id', toleratedFailurePercentage: 100 };

/** `count` rows with the keys `0` …, padded so that a chunk holds about a thousand. */
const manyRows = (count: number, value = 'v'): Buffer =>
  Buffer.from(
    ['id,value', ...Array.from({ length: count }, (_, id) => `${id},${value} ${id}`)].join('\n'),
  );

test('a CSV goes in row by row; the last row of a key stands', async () => {
  const csv = 'id,name,note\n1,Ayu,\n2,Budi,"two\nlines, a ""quote"""\n1,Ayu Lestari,moved\n';
  const job = await lab.run(csv, { dataset: 'people', keyField: 'id' });
  assert.equal(job.status, 'SUCCEEDED', JSON.stringify(job.failure));
  assert.deepEqual(job.result, { total: 3, imported: 3, failed: 0 });
  assert.deepEqual(job.progress, { done: 3, total: 3, failed: 0 });
  assert.deepEqual(await lab.rows('people'), [
    { id: '1', name: 'Ayu Lestari', note: 'moved' },
    { id: '2', name: 'Budi', note: 'two\nlines, a "quote"' },
  ]);
});

test('an NDJSON keeps the types of its values, whatever its content type says', async () => {
  const ndjson = '{"id":7,"tags":["a",null],"price":1.5}\r\n\n{"id":"x","ok":true}';
  const input = { dataset: 'things', keyField: 'id' };
  for (const contentType of ['application/x-ndjson', 'application/octet-stream']) {
    const job = await lab.run(ndjson, input, contentType);
    assert.deepEqual(job.result, { total: 2, imported: 2, failed: 0 }, JSON.stringify(job.failure));
  }
  assert.deepEqual(await lab.rows('things'), [
    { id: 7, tags: ['a', null], price: 1.5 },
    { id: 'x', ok: true },
  ]);
});

/** What comes of each payload: the keys that are imported and the codes by line, or the failure's code. */
type Odd = {
  readonly payload: string | Buffer;
  readonly contentType?: string;
  readonly keys?: readonly string[];
  readonly problems?: Readonly<Record<number, string>>;
  readonly fails?: RegExp;
};

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const odd: Readonly<Record<string, Odd>> = {
  'byte order mark, CRLF, empty lines, no line end at the end': {
    payload: '\u{FEFF}\r\nid,v\r\n\r\n1,a\r\n\r\n\r\n2,b',
    keys: ['1', '2'],
  },
  'another delimiter, and a quoted header': {
    payload: '"id";"a,b"\n1;"x;y"\n2;"x\ny"\n',
    keys: ['1', '2'],
  },
  'only a header': { payload: 'id,v\n', keys: [] },
  'an empty NDJSON': { payload: '\n', contentType: 'application/x-ndjson', keys: [] },
  'a line of 10 MB': {
    payload: `id,v\n1,a\n2,${'x'.repeat(10_000_000)}\n3,c\n`,
    keys: ['1', '3'],
    problems: { 3: 'ROW_TOO_LONG' },
  },
  'a quote that is never closed': {
    payload: 'id,v\n1,a\n2,"b\n3,c\n',
    keys: ['1'],
    problems: { 3: 'QUOTES' },
  },
  'quotes in the wrong places': {
    payload: 'id,v\n1,6" pipe\n2,"a"b\n3,"c ""c"""\n',
    keys: ['3'],
    problems: { 2: 'QUOTES', 3: 'QUOTES' },
  },
  'too many and too few fields': {
    payload: 'id,v\n1,a,b\n2\n3,c\n',
    keys: ['3'],
    problems: { 2: 'COLUMN_COUNT', 3: 'COLUMN_COUNT' },
  },
  'bytes that are not UTF-8': {
    payload: latin1('id,v\n1,caf\u{E9}\n2,"b\nb"\n3,c\n'),
    keys: ['2', '3'],
    problems: { 2: 'NOT_UTF8' },
  },
  'the character U+0000': {
    payload: 'id,v\n1,\u{0}\n2,b\n',
    keys: ['2'],
    problems: { 2: 'NOT_STORABLE' },
  },
  'keys that are none': {
    payload: `id,v\n,a\n${'k'.repeat(1025)},b\n3,c\n`,
    keys: ['3'],
    problems: { 2: 'KEY_MISSING', 3: 'KEY_TOO_LONG' },
  },
  'lines of NDJSON that are no rows': {
    contentType: 'application/x-ndjson',
    payload: [
      '{"id":1}',
      '{"id":2',
      '[{"id":3}]',
      '{"v":4}',
      '{"id":null}',
      '{"id":6,"v":"\\u0000"}',
      '{"id":7,"v":"\\ud800"}',
      '{"id":8,"v":9007199254740993}',
      '{"id":9,"refused":["NOT_UTF8"],"code":"x"}',
    ].join('\n'),
    keys: ['1', '9'],
    problems: {
      2: 'NOT_JSON',
      3: 'NOT_AN_OBJECT',
      4: 'KEY_MISSING',
      5: 'KEY_MISSING',
      6: 'NOT_STORABLE',
      7: 'NOT_STORABLE',
      8: 'NOT_STORABLE',
    },
  },
  'an empty CSV': { payload: '\n\n', fails: /is empty/ },
  'a header without keyField': { payload: 'sku,v\n1,a\n', fails: /keyField is "id".*"sku", "v"/ },
  'a column named twice': { payload: 'id,v,v\n1,a,b\n', fails: /names the column "v" twice/ },
  'a header that is too long': {
    payload: `id,${'x'.repeat(20_000)}\n`,
    fails: /longer than 16384/,
  },
  'UTF-16': { payload: Buffer.from('\u{FEFF}id,v\n1,a\n', 'utf16le'), fails: /UTF-16/ },
  gzip: { payload: gzipSync('id,v\n1,a\n'), fails: /gzip/ },
  'a header in Latin-1': { payload: latin1('id,pre\u{E7}o\n1,a\n'), fails: /header is not UTF-8/ },
  'a JSON array': {
    payload: '[{"id":1}]',
    contentType: 'application/json',
    fails: /one object a line/,
  },
};

test('odd payloads have a clear outcome each', { timeout: 120_000 }, async () => {
  await Promise.all(
    Object.entries(odd).map(async ([what, { payload, contentType, keys, problems, fails }]) => {
      const input = { ...generous, dataset: what };
      const job = await lab.run(payload, input, contentType);
      if (fails !== undefined) {
        assert.equal(job.failure?.code, 'IMPORT_UNREADABLE', what);
        assert.equal(job.failure?.state, 'PlanImport', what);
        assert.match(job.failure?.message ?? '', fails, what);
        return;
      }
      assert.equal(job.status, 'SUCCEEDED', `${what}: ${JSON.stringify(job.failure)}`);
      const rows = await lab.rows(what);
      assert.deepEqual(
        rows.map(({ id }) => String(id)),
        keys,
        what,
      );
      const failed = Object.keys(problems ?? {}).length;
      const { errorsRef, ...counts } = job.result ?? {};
      const imported = keys?.length ?? 0;
      assert.deepEqual(counts, { total: imported + failed, imported, failed }, what);
      assert.equal(errorsRef === undefined, failed === 0, what);
      if (failed === 0) return;
      const errors = await lab.errors(job.jobId);
      const found = Object.fromEntries(errors.map(({ line, code }) => [line, code]));
      assert.deepEqual(found, problems, what);
    }),
  );
});

test('a share of bad rows is tolerated as the job says; the good ones stay either way', async () => {
  const csv = 'id,v\n1,a\n2\n3,c\n4,d\n';
  const over = await lab.run(csv, {
    ...generous,
    dataset: 'over',
    toleratedFailurePercentage: 24.9,
  });
  assert.equal(over.status, 'FAILED');
  assert.equal(over.failure?.code, 'TOO_MANY_ROWS_FAILED');
  assert.equal(over.failure?.state, 'CollectResult');
  assert.match(
    over.failure?.message ?? '',
    /^1 of 4 rows failed, tolerated are 24.9 %.*GET \/jobs\/[0-9a-f-]+\/errors$/,
  );
  assert.equal(over.links.errors, `/jobs/${over.jobId}/errors`);
  const [wrong, ...more] = await lab.errors(over.jobId);
  assert.deepEqual([wrong?.line, wrong?.code, more.length], [3, 'COLUMN_COUNT', 0]);
  assert.deepEqual(over.progress, { done: 4, total: 4, failed: 1 });
  assert.equal((await lab.rows('over')).length, 3);
  const within = await lab.run(csv, { ...generous, dataset: 'in', toleratedFailurePercentage: 25 });
  assert.equal(within.status, 'SUCCEEDED');
  assert.equal((await lab.errors(within.jobId)).length, 1);
  const rows = Array.from({ length: 375 }, (_, id) => (id < 69 ? `${id}` : `${id},v`));
  const exact = { ...generous, dataset: 'exact', toleratedFailurePercentage: 18.4 };
  const exactly = await lab.run(`id,v\n${rows.join('\n')}`, exact);
  assert.equal(exactly.status, 'SUCCEEDED', '69 of 375 is 18.4 %');
  assert.equal(exactly.result?.failed, 69);
  const none = await lab.run(csv, { dataset: 'none', keyField: 'id' });
  assert.equal(none.failure?.code, 'TOO_MANY_ROWS_FAILED', 'without a share none is tolerated');
});

test('a redrive runs only the chunks that are not done, and never overwrites what a later job brought', async () => {
  const input = { dataset: 'redriven', keyField: 'id' };
  // It is refused when the four other chunks are done.
  await lab.sql`
    create function refuse_row() returns trigger language plpgsql as $$
    begin
      while (select (progress ->> 'done')::integer from jobs where job_id = new.job_id) < 10000 loop
        perform pg_sleep(0.02);
      end loop;
      raise exception 'this row is refused for now';
    end $$`;
  await lab.sql`
    create trigger refused before insert on imported_rows for each row
    when (new.dataset = 'redriven' and new.key = '2500') execute function refuse_row()`;
  const first = await lab.run(manyRows(12_500, 'old'), input);
  assert.equal(first.status, 'FAILED');
  // What the child says, not that a Map Run failed.
  assert.equal(first.failure?.code, 'DATABASE_ERROR');
  assert.equal(first.failure?.state, 'ImportChunk');
  assert.match(first.failure?.message ?? '', /this row is refused for now/);
  const before = await chunksOf(first.jobId);
  // An answer may still have been on its way when the Map Run ended.
  const succeeded = await succeededChildren(first.execution.arn);
  assert.ok(succeeded > 0 && succeeded <= 4, `${succeeded} of 5 children succeeded`);
  await lab.sql`drop trigger refused on imported_rows`;

  const later = await lab.run('id,value\n2500,new\n0,new\n', input);
  assert.equal(later.status, 'SUCCEEDED');
  const redriven = await lab.call(`/jobs/${first.jobId}/redrive`, {
    method: 'POST',
    key: 'operator',
    body: { mode: 'resume' },
  });
  assert.equal(redriven.status, 202);
  const job = await lab.settled(first.jobId);
  assert.equal(job.status, 'SUCCEEDED', JSON.stringify(job.failure));
  assert.deepEqual(job.result, { total: 12_500, imported: 12_500, failed: 0 });
  const after = await chunksOf(first.jobId);
  assert.equal(after.length, 5);
  const untouched = before.filter((chunk) => after[chunk.chunk]?.writtenBy === chunk.writtenBy);
  assert.equal(untouched.length, succeeded, 'what was done is not written again');
  const rows = await lab.rows('redriven');
  assert.equal(rows.length, 12_500);
  assert.deepEqual(
    rows.filter(({ value }) => value === 'new').map(({ id }) => id),
    ['0', '2500'],
  );
});

const doneOf = async (jobId: string): Promise<number> => (await lab.job(jobId)).progress?.done ?? 0;

/** The chunks of a job with the transactions that wrote them. */
const chunksOf = (jobId: string) => lab.sql<{ chunk: number; writtenBy: string }[]>`
  select chunk_no as chunk, xmin::text as "writtenBy" from import_chunks
  where job_id = ${jobId} order by chunk_no`;

async function succeededChildren(executionArn: string): Promise<number> {
  const { mapRuns = [] } = await lab.sfn.send(new ListMapRunsCommand({ executionArn }));
  const mapRunArn = mapRuns[0]?.mapRunArn;
  const { executionCounts } = await lab.sfn.send(new DescribeMapRunCommand({ mapRunArn }));
  return executionCounts?.succeeded ?? 0;
}

test('50,000 rows go in while their number grows in GET /jobs/:jobId', async () => {
  const jobId = await lab.submit(manyRows(50_000), { dataset: 'many', keyField: 'id' });
  const seen: number[] = [];
  await waitFor(
    async () => {
      const { status, progress } = await lab.job(jobId);
      if (progress !== null && seen.at(-1) !== progress.done) seen.push(progress.done);
      return status !== 'PENDING' && status !== 'RUNNING';
    },
    60_000,
    'the import to end',
  );
  assert.deepEqual((await lab.job(jobId)).result, { total: 50_000, imported: 50_000, failed: 0 });
  assert.deepEqual(
    seen,
    seen.toSorted((a, b) => a - b),
  );
  assert.ok(seen.length > 3, `seen were ${seen.join(', ')}`);
  assert.equal((await lab.rows('many')).length, 50_000);
});

test('kill -9 of the Lambda host and of the engine in the middle neither loses nor repeats a row', async () => {
  const jobId = await lab.submit(manyRows(50_000), { dataset: 'killed', keyField: 'id' });
  await waitFor(async () => (await doneOf(jobId)) > 0, 30_000, 'a chunk to be done');
  const backAgain = Promise.all([lab.pawl.kill('lambda'), lab.pawl.kill('engine')]);
  assert.ok((await doneOf(jobId)) < 50_000, 'it was killed in the middle');
  await backAgain;
  const job = await lab.settled(jobId);
  assert.equal(job.status, 'SUCCEEDED', JSON.stringify(job.failure));
  assert.deepEqual(job.result, { total: 50_000, imported: 50_000, failed: 0 });
  assert.deepEqual(job.progress, { done: 50_000, total: 50_000, failed: 0 });
  const rows = await lab.rows('killed');
  assert.equal(new Set(rows.map(({ id }) => id)).size, 50_000);
  assert.equal((await chunksOf(jobId)).length, 20);
});

test('a cancelled import stops, and starts anew from where its rows stand', async () => {
  const jobId = await lab.submit(manyRows(50_000), { dataset: 'cancelled', keyField: 'id' });
  await waitFor(async () => (await doneOf(jobId)) > 0, 30_000, 'a chunk');
  const cancelled = await lab.call(`/jobs/${jobId}/cancel`, { method: 'POST' });
  assert.equal(cancelled.status, 202);
  assert.equal((await lab.settled(jobId)).status, 'CANCELLED');
  const body = { mode: 'restart' };
  await lab.call(`/jobs/${jobId}/redrive`, { method: 'POST', key: 'operator', body });
  const job = await lab.settled(jobId);
  assert.deepEqual(job.result, { total: 50_000, imported: 50_000, failed: 0 });
  assert.equal((await chunksOf(jobId)).length, 20, 'the chunks of the first execution are gone');
  assert.equal((await lab.rows('cancelled')).length, 50_000);
});
