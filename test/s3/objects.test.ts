import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectTaggingCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
} from '@aws-sdk/client-s3';
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { refusal, startWithBucket } from './start-s3.ts';
import { waitFor } from './wait-for.ts';

test('an object comes back as it was put, with its type and metadata', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  const Body = randomBytes(300_000);
  const put = await s3.send(
    new PutObjectCommand({
      Bucket,
      Key: 'a/ü +&?.pdf',
      Body,
      ContentType: 'application/pdf',
      CacheControl: 'no-store',
      ContentDisposition: 'attachment; filename="x y.pdf"',
      Metadata: { author: 'me,  myself' },
    }),
  );
  assert.match(put.ETag ?? '', /^"[0-9a-f]{32}"$/);
  assert.equal(put.VersionId, undefined);
  const got = await s3.send(new GetObjectCommand({ Bucket, Key: 'a/ü +&?.pdf' }));
  assert.deepEqual(Buffer.from((await got.Body?.transformToByteArray()) ?? []), Body);
  assert.equal(got.ContentType, 'application/pdf');
  assert.equal(got.CacheControl, 'no-store');
  assert.equal(got.ContentDisposition, 'attachment; filename="x y.pdf"');
  assert.equal(got.ETag, put.ETag);
  assert.equal(got.Metadata?.['author'], 'me,  myself');
  const head = await s3.send(new HeadObjectCommand({ Bucket, Key: 'a/ü +&?.pdf' }));
  assert.equal(head.ContentLength, Body.length);
  assert.ok(Math.abs((head.LastModified?.getTime() ?? 0) - Date.now()) < 10_000);
});

test('a stream of known length is taken without being held in memory by the client', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  const pieces = Array.from({ length: 40 }, () => randomBytes(100_000));
  const Body = Readable.from(pieces);
  await s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body, ContentLength: 4_000_000 }));
  const got = await s3.send(new GetObjectCommand({ Bucket, Key: 'k' }));
  const bytes = Buffer.from((await got.Body?.transformToByteArray()) ?? []);
  assert.ok(bytes.equals(Buffer.concat(pieces)));
  assert.equal(got.ContentEncoding, undefined, 'aws-chunked is the transfer, not the object');
});

test('an empty object is an object', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  await s3.send(new PutObjectCommand({ Bucket, Key: 'empty', Body: '' }));
  const got = await s3.send(new GetObjectCommand({ Bucket, Key: 'empty' }));
  assert.equal(await got.Body?.transformToString(), '');
  assert.equal(got.ContentLength, 0);
});

test('a range answers 206 with just those bytes, and 416 out of reach', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  await s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body: '0123456789' }));
  const read = async (Range: string) => {
    const got = await s3.send(new GetObjectCommand({ Bucket, Key: 'k', Range }));
    return [got.$metadata.httpStatusCode, got.ContentRange, await got.Body?.transformToString()];
  };
  assert.deepEqual(await read('bytes=2-4'), [206, 'bytes 2-4/10', '234']);
  assert.deepEqual(await read('bytes=7-'), [206, 'bytes 7-9/10', '789']);
  assert.deepEqual(await read('bytes=-3'), [206, 'bytes 7-9/10', '789']);
  assert.deepEqual(await read('bytes=8-99'), [206, 'bytes 8-9/10', '89']);
  assert.deepEqual(await read('bytes=-99'), [206, 'bytes 0-9/10', '0123456789']);
  assert.deepEqual(await read('bytes=5-2'), [200, undefined, '0123456789']);
  assert.deepEqual(await read('bytes=0-1,4-5'), [200, undefined, '0123456789']);
  await assert.rejects(read('bytes=10-'), refusal('InvalidRange', 416));
  await assert.rejects(read('bytes=-0'), refusal('InvalidRange', 416));
});

test('what is not there is told apart: key, bucket, HEAD', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  const get = (bucket: string) => s3.send(new GetObjectCommand({ Bucket: bucket, Key: 'none' }));
  await assert.rejects(get(Bucket), refusal('NoSuchKey', 404));
  await assert.rejects(get('no-such-pail'), refusal('NoSuchBucket', 404));
  const head = s3.send(new HeadObjectCommand({ Bucket, Key: 'none' }));
  await assert.rejects(head, refusal('NotFound', 404));
  await s3.send(new DeleteObjectCommand({ Bucket, Key: 'none' }));
});

test('a key may look like a path out of the folder and stays a key', async (t) => {
  const { s3, Bucket, dataDir } = await startWithBucket(t);
  const keys = [
    '../../etc/x',
    '/abs',
    '..',
    '.',
    'a//b',
    'C:\\x',
    '%2e%2e',
    'é\u0301',
    '🦔'.repeat(200),
  ];
  for (const Key of keys) {
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: `body of ${Key}` }));
  }
  for (const Key of keys) {
    const got = await s3.send(new GetObjectCommand({ Bucket, Key }));
    assert.equal(await got.Body?.transformToString(), `body of ${Key}`);
  }
  const files = await readdir(path.join(dataDir, 'content'));
  assert.equal(files.length, keys.length);
  assert.ok(files.every((file) => /^[0-9a-f]{32}$/.test(file)));
});

test('a key of 1,024 bytes is taken, one of 1,025 is KeyTooLongError', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  await s3.send(new PutObjectCommand({ Bucket, Key: 'é'.repeat(512), Body: 'x' }));
  const tooLong = s3.send(new PutObjectCommand({ Bucket, Key: `${'é'.repeat(512)}a`, Body: 'x' }));
  await assert.rejects(tooLong, refusal('KeyTooLongError', 400));
});

test('metadata above 2 KB is MetadataTooLarge', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  const put = (bytes: number) =>
    s3.send(new PutObjectCommand({ Bucket, Key: 'k', Metadata: { a: 'x'.repeat(bytes - 1) } }));
  await put(2048);
  await assert.rejects(put(2049), refusal('MetadataTooLarge', 400));
});

test('overwriting without versions leaves one object and one file', async (t) => {
  const { s3, Bucket, dataDir } = await startWithBucket(t);
  await s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'old' }));
  await s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'new' }));
  const got = await s3.send(new GetObjectCommand({ Bucket, Key: 'k' }));
  assert.equal(await got.Body?.transformToString(), 'new');
  assert.equal((await readdir(path.join(dataDir, 'content'))).length, 1);
  await s3.send(new DeleteObjectCommand({ Bucket, Key: 'k' }));
  assert.equal((await readdir(path.join(dataDir, 'content'))).length, 0);
});

test('an object being read stays whole although it is deleted meanwhile', async (t) => {
  const { s3, Bucket, dataDir } = await startWithBucket(t);
  const Body = randomBytes(20_000_000);
  await s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body }));
  const got = await s3.send(new GetObjectCommand({ Bucket, Key: 'k' }));
  await s3.send(new DeleteObjectCommand({ Bucket, Key: 'k' }));
  const bytes = Buffer.from((await got.Body?.transformToByteArray()) ?? []);
  assert.ok(bytes.equals(Body));
  await waitFor(async () => (await readdir(path.join(dataDir, 'content'))).length === 0, 5000);
});

test('a copy has the bytes and metadata of its source, or new metadata where asked', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  const source = { Bucket, Key: 'from here/ü', Body: 'text', ContentType: 'text/plain' };
  const put = await s3.send(new PutObjectCommand({ ...source, Metadata: { a: '1' } }));
  const CopySource = encodeURI(`${Bucket}/from here/ü`);
  const copy = await s3.send(new CopyObjectCommand({ Bucket, Key: 'to', CopySource }));
  assert.equal(copy.CopyObjectResult?.ETag, put.ETag);
  const got = await s3.send(new GetObjectCommand({ Bucket, Key: 'to' }));
  assert.equal(await got.Body?.transformToString(), 'text');
  assert.deepEqual([got.ContentType, got.Metadata], ['text/plain', { a: '1' }]);
  const changed = { MetadataDirective: 'REPLACE', Metadata: { b: '2' } } as const;
  await s3.send(new CopyObjectCommand({ Bucket, Key: 'to', CopySource, ...changed }));
  const head = await s3.send(new HeadObjectCommand({ Bucket, Key: 'to' }));
  assert.deepEqual([head.ContentType, head.Metadata], ['binary/octet-stream', { b: '2' }]);
  const onItself = { Bucket, Key: 'from here/ü', CopySource };
  await assert.rejects(s3.send(new CopyObjectCommand(onItself)), refusal('InvalidRequest', 400));
  const stale = { Bucket, Key: 'to', CopySource, CopySourceIfMatch: '"0"' };
  await assert.rejects(s3.send(new CopyObjectCommand(stale)), refusal('PreconditionFailed', 412));
});

test('what the server does not do is refused by name, never ignored', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  const put = (extra: object) =>
    s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x', ...extra }));
  await assert.rejects(put({ ServerSideEncryption: 'aws:kms' }), refusal('NotImplemented', 501));
  await assert.rejects(put({ ACL: 'public-read' }), refusal('AccessControlListNotSupported', 400));
  await assert.rejects(put({ ObjectLockMode: 'GOVERNANCE' }), refusal('NotImplemented', 501));
  await assert.rejects(put({ StorageClass: 'GLACIER' }), refusal('NotImplemented', 501));
  await assert.rejects(put({ ChecksumXXHASH64: 'AAAAAAAAAAA=' }), refusal('NotImplemented', 501));
});

test('tags are kept with the version, counted, replaced and removed', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  const object = { Bucket, Key: 'k' };
  await s3.send(new PutObjectCommand({ ...object, Body: 'x', Tagging: 'a=1&b=two%20words' }));
  const tags = async () => (await s3.send(new GetObjectTaggingCommand(object))).TagSet;
  const first = [
    { Key: 'a', Value: '1' },
    { Key: 'b', Value: 'two words' },
  ];
  assert.deepEqual(await tags(), first);
  const TagSet = [{ Key: 'c', Value: '<&>' }];
  await s3.send(new PutObjectTaggingCommand({ ...object, Tagging: { TagSet } }));
  assert.deepEqual(await tags(), TagSet);
  assert.equal((await s3.send(new GetObjectCommand(object))).TagCount, 1);
  await s3.send(new DeleteObjectTaggingCommand(object));
  assert.deepEqual((await tags()) ?? [], []);
});
