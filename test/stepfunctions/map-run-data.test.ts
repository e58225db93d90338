import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import {
  GetObjectCommand,
  PutObjectCommand,
  type S3Client,
  CreateBucketCommand,
} from '@aws-sdk/client-s3';
import type { Json } from '../../local/stepfunctions/language/json.ts';
import {
  fail,
  startFixture,
  succeed,
  task,
  temporaryFolder,
  type Fixture,
} from './engine-fixture.ts';
import { distributedMap, mapRunOf } from './map-run-fixture.ts';
import { startS3 } from './start-s3.ts';

const BUCKET = 'items';
const pass = { Pass: { Type: 'Pass', End: true } };

const folder = temporaryFolder();
let close: () => Promise<void>;
let s3: S3Client;
let endpoint: string;

before(async () => {
  ({ endpoint, s3, close } = await startS3(join(folder, 's3')));
  await s3.send(new CreateBucketCommand({ Bucket: BUCKET }));
});

after(async () => {
  await close();
});

const start = (play: Parameters<typeof startFixture>[0] = () => succeed()): Promise<Fixture> =>
  startFixture(play, { endpoints: { s3: endpoint } });

async function put(key: string, body: string | Buffer, encoding?: string): Promise<void> {
  await s3.send(
    new PutObjectCommand({
      Bucket: BUCKET,
      Key: key,
      Body: body,
      ...(encoding !== undefined && { ContentEncoding: encoding }),
    }),
  );
}

async function get(key: string): Promise<string> {
  const { Body: body } = await s3.send(new GetObjectCommand({ Bucket: BUCKET, Key: key }));
  return (await body?.transformToString()) ?? '';
}

function reader(config: object, parameters: object, action = 'getObject'): object {
  return {
    ItemReader: {
      Resource: `arn:aws:states:::s3:${action}`,
      ReaderConfig: config,
      Parameters: { Bucket: BUCKET, ...parameters },
    },
  };
}

/** What a Map with this reader makes of it when its children pass their input on. */
async function itemsOf(config: object, parameters: object, action?: string): Promise<Json> {
  const fixture = await start();
  const machine = distributedMap(pass, reader(config, parameters, action));
  const { status, output, error, cause } = await fixture.ended(await fixture.run(machine));
  fixture.stop();
  if (status !== 'SUCCEEDED') return { error: error ?? '', cause: cause ?? '' };
  return JSON.parse(output ?? 'null') as Json;
}

test('a JSON array is read element by element, also behind an ItemsPointer', async () => {
  await put('a.json', '[1, "two, [2]", {"three": [3, "}"]}, [], null]');
  assert.deepEqual(await itemsOf({ InputType: 'JSON' }, { Key: 'a.json' }), [
    1,
    'two, [2]',
    { three: [3, '}'] },
    [],
    null,
  ]);
  await put('b.json', '{"other": [9], "deep": {"li/st": [{"x": "]"}, 2], "li": [8]}}');
  const pointer = { InputType: 'JSON', ItemsPointer: '/deep/li~1st' };
  assert.deepEqual(await itemsOf(pointer, { Key: 'b.json' }), [{ x: ']' }, 2]);
  await put('empty.json', '[ ]');
  assert.deepEqual(await itemsOf({ InputType: 'JSON' }, { Key: 'empty.json' }), []);
});

test('JSON Lines, gzip and MaxItems', async () => {
  await put('a.jsonl', '{"n":1}\n\n{"n":2}\n{"n":3}');
  assert.deepEqual(await itemsOf({ InputType: 'JSONL' }, { Key: 'a.jsonl' }), [
    { n: 1 },
    { n: 2 },
    { n: 3 },
  ]);
  await put('b.jsonl', gzipSync('{"n":1}\n{"n":2}\n'), 'gzip');
  const config = { InputType: 'JSONL', MaxItems: 1 };
  assert.deepEqual(await itemsOf(config, { Key: 'b.jsonl' }), [{ n: 1 }]);
});

test('CSV with headers of its own and given ones, quoted fields and other delimiters', async () => {
  await put('a.csv', 'id,text\r\n1,"a ""quoted"", field\nof two lines"\r\n2,\r\n');
  const first = { InputType: 'CSV', CSVHeaderLocation: 'FIRST_ROW' };
  assert.deepEqual(await itemsOf(first, { Key: 'a.csv' }), [
    { id: '1', text: 'a "quoted", field\nof two lines' },
    { id: '2', text: '' },
  ]);
  await put('b.csv', '1|x\n2|y|more\n');
  const given = {
    InputType: 'CSV',
    CSVHeaderLocation: 'GIVEN',
    CSVHeaders: ['id', 'text'],
    CSVDelimiter: 'PIPE',
  };
  assert.deepEqual(await itemsOf(given, { Key: 'b.csv' }), [
    { id: '1', text: 'x' },
    { id: '2', text: 'y' },
  ]);
});

test('the objects of a bucket are items, or with LOAD_AND_FLATTEN what is in them', async () => {
  await put('list/1.json', '["a","b"]');
  await put('list/2.json', '["c"]');
  const listed = await itemsOf({}, { Prefix: 'list/' }, 'listObjectsV2');
  assert.deepEqual(
    (listed as { Key: string; Size: number }[]).map(({ Key, Size }) => ({ Key, Size })),
    [
      { Key: 'list/1.json', Size: 9 },
      { Key: 'list/2.json', Size: 5 },
    ],
  );
  const flatten = { InputType: 'JSON', Transformation: 'LOAD_AND_FLATTEN' };
  assert.deepEqual(await itemsOf(flatten, { Prefix: 'list/' }, 'listObjectsV2'), ['a', 'b', 'c']);
});

test('what cannot be read fails the Map with States.ItemReaderFailed and says why', async () => {
  const missing = await itemsOf({ InputType: 'JSON' }, { Key: 'nothing.json' });
  assert.deepEqual(missing, {
    error: 'States.ItemReaderFailed',
    cause: 'The specified key does not exist.',
  });
  await put('torn.json', '[1, {"a": ');
  const torn = await itemsOf({ InputType: 'JSON' }, { Key: 'torn.json' });
  assert.deepEqual(torn, { error: 'States.ItemReaderFailed', cause: 'The JSON ends too early.' });
  await put('bad.jsonl', '{"n":1}\n{"n":\n');
  const bad = (await itemsOf({ InputType: 'JSONL' }, { Key: 'bad.jsonl' })) as { cause: string };
  assert.match(bad.cause, /^Line 2 is not JSON/);
});

const writer = (config?: object): object => ({
  ResultWriter: {
    Resource: 'arn:aws:states:::s3:putObject',
    Parameters: { Bucket: BUCKET, Prefix: 'results' },
    ...(config && { WriterConfig: config }),
  },
});

type Manifest = {
  DestinationBucket: string;
  MapRunArn: string;
  ResultFiles: Record<'SUCCEEDED' | 'FAILED' | 'PENDING', { Key: string; Size: number }[]>;
};

async function manifestOf(fixture: Fixture, executionArn: string): Promise<Manifest> {
  const { run } = await mapRunOf(fixture, executionArn);
  const id = run.mapRunArn.slice(run.mapRunArn.lastIndexOf(':') + 1);
  return JSON.parse(await get(`results/${id}/manifest.json`)) as Manifest;
}

const failsForOne = (_call: unknown, payload: Json): ReturnType<typeof succeed> =>
  (payload as { input: number }).input === 1 ? fail('Bad', 'no good') : succeed({ Payload: 'ok' });

test('ResultWriter puts successes and failures into files and answers with the manifest', async () => {
  const fixture = await start(failsForOne);
  const machine = distributedMap(
    { Work: task('work', { OutputPath: '$.Payload' }) },
    { ...writer(), ToleratedFailureCount: 1, MaxConcurrency: 1 },
  );
  const executionArn = await fixture.run(machine, [0, 1, 2]);
  const { output } = await fixture.ended(executionArn);
  const { run, described } = await mapRunOf(fixture, executionArn);
  const id = run.mapRunArn.slice(run.mapRunArn.lastIndexOf(':') + 1);
  assert.deepEqual(JSON.parse(output ?? ''), {
    MapRunArn: run.mapRunArn,
    ResultWriterDetails: { Bucket: BUCKET, Key: `results/${id}/manifest.json` },
  });
  assert.equal(described.executionCounts['resultsWritten'], 3);
  const { ResultFiles: files } = await manifestOf(fixture, executionArn);
  assert.deepEqual(files.PENDING, []);
  const [succeeded] = files.SUCCEEDED;
  const text = await get(succeeded?.Key ?? '');
  assert.equal(succeeded?.Size, Buffer.byteLength(text));
  const results = JSON.parse(text) as Record<string, string>[];
  assert.deepEqual(
    results.map(({ Input, Output, Status }) => ({ Input, Output, Status })),
    [
      { Input: '0', Output: '"ok"', Status: 'SUCCEEDED' },
      { Input: '2', Output: '"ok"', Status: 'SUCCEEDED' },
    ],
  );
  const [failed] = JSON.parse(await get(files.FAILED[0]?.Key ?? '')) as Record<string, string>[];
  assert.equal(failed?.['Error'], 'Bad');
  assert.equal(failed?.['Cause'], 'no good');
  fixture.stop();
});

test('children that were not started are in PENDING_0 when the Map Run fails', async () => {
  const fixture = await start(failsForOne);
  const machine = distributedMap({ Work: task('work') }, { ...writer(), MaxConcurrency: 1 });
  const executionArn = await fixture.run(machine, [1, 2, 3]);
  assert.equal((await fixture.ended(executionArn)).status, 'FAILED');
  const { ResultFiles: files } = await manifestOf(fixture, executionArn);
  const pending = JSON.parse(await get(files.PENDING[0]?.Key ?? '')) as { Input: string }[];
  assert.deepEqual(
    pending.map(({ Input }) => Input),
    ['2', '3'],
  );
  fixture.stop();
});

test('WriterConfig: COMPACT and FLATTEN, JSON Lines, and the preview without S3', async () => {
  const fixture = await start();
  const compact = distributedMap(pass, writer({ Transformation: 'COMPACT', OutputType: 'JSONL' }));
  const written = await fixture.run(compact, [[1, 2], [3]]);
  await fixture.ended(written);
  const { ResultFiles: files } = await manifestOf(fixture, written);
  assert.match(files.SUCCEEDED[0]?.Key ?? '', /SUCCEEDED_0\.jsonl$/);
  assert.equal(await get(files.SUCCEEDED[0]?.Key ?? ''), '[1,2]\n[3]\n');

  const preview = {
    ResultWriter: { WriterConfig: { Transformation: 'FLATTEN', OutputType: 'JSON' } },
  };
  const { output } = await fixture.ended(
    await fixture.run(distributedMap(pass, preview), [[1, 2], [3]]),
  );
  assert.deepEqual(JSON.parse(output ?? ''), [1, 2, 3]);
  fixture.stop();
});

test('results that cannot be written fail the Map with States.ResultWriterFailed', async () => {
  const fixture = await start();
  const nowhere = {
    ResultWriter: {
      Resource: 'arn:aws:states:::s3:putObject',
      Parameters: { Bucket: 'no-such-bucket', Prefix: 'x' },
    },
  };
  const executionArn = await fixture.run(distributedMap(pass, nowhere), [1]);
  const { status, error, cause } = await fixture.ended(executionArn);
  assert.equal(status, 'FAILED');
  assert.equal(error, 'States.ResultWriterFailed');
  assert.match(cause ?? '', /bucket does not exist/i);
  fixture.stop();
});

test('results of more than 256 KiB go through a ResultWriter', async () => {
  const fixture = await start();
  const large = { Pass: { Type: 'Pass', Result: 'x'.repeat(200_000), End: true } };
  const executionArn = await fixture.run(distributedMap(large, writer()), [1, 2, 3]);
  assert.equal((await fixture.ended(executionArn)).status, 'SUCCEEDED');
  fixture.stop();
});
