import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { refusal, startWithBucket } from './start-s3.ts';

const Key = 'k';

async function put(s3: S3Client, Bucket: string, Body: string): Promise<string> {
  return (await s3.send(new PutObjectCommand({ Bucket, Key, Body }))).VersionId ?? 'none';
}

async function read(s3: S3Client, Bucket: string, VersionId?: string): Promise<string | undefined> {
  const got = await s3.send(new GetObjectCommand({ Bucket, Key, VersionId }));
  return got.Body?.transformToString();
}

test('each write is a version of its own that stays readable by its id', async (t) => {
  const { s3, Bucket } = await startWithBucket(t, { versioned: true });
  const first = await put(s3, Bucket, 'one');
  const second = await put(s3, Bucket, 'two');
  assert.notEqual(first, second);
  assert.equal(await read(s3, Bucket), 'two');
  assert.equal(await read(s3, Bucket, first), 'one');
  const head = await s3.send(new HeadObjectCommand({ Bucket, Key, VersionId: first }));
  assert.equal(head.VersionId, first);
  await assert.rejects(read(s3, Bucket, 'A'.repeat(32)), refusal('NoSuchVersion', 404));
  await assert.rejects(read(s3, Bucket, 'x'), refusal('InvalidArgument', 400));
});

test('a delete hides behind a marker, and removing the marker brings the object back', async (t) => {
  const { s3, Bucket } = await startWithBucket(t, { versioned: true });
  const version = await put(s3, Bucket, 'one');
  const deleted = await s3.send(new DeleteObjectCommand({ Bucket, Key }));
  assert.equal(deleted.DeleteMarker, true);
  await assert.rejects(read(s3, Bucket), refusal('NoSuchKey', 404));
  assert.equal(await read(s3, Bucket, version), 'one');
  const marker = deleted.VersionId;
  await assert.rejects(read(s3, Bucket, marker), refusal('MethodNotAllowed', 405));
  const listed = await s3.send(new ListObjectsV2Command({ Bucket }));
  assert.equal(listed.KeyCount, 0);
  const all = await s3.send(new ListObjectVersionsCommand({ Bucket }));
  assert.deepEqual(
    all.DeleteMarkers?.map(({ VersionId, IsLatest }) => [VersionId, IsLatest]),
    [[marker, true]],
  );
  assert.deepEqual(
    all.Versions?.map(({ VersionId, IsLatest }) => [VersionId, IsLatest]),
    [[version, false]],
  );
  await s3.send(new DeleteObjectCommand({ Bucket, Key, VersionId: marker }));
  assert.equal(await read(s3, Bucket), 'one');
});

test('a version deleted by its id is gone for good, with its bytes, and the one before is current', async (t) => {
  const { s3, Bucket, dataDir } = await startWithBucket(t, { versioned: true });
  await put(s3, Bucket, 'one');
  const second = await put(s3, Bucket, 'two');
  const deleted = await s3.send(new DeleteObjectCommand({ Bucket, Key, VersionId: second }));
  assert.deepEqual([deleted.VersionId, deleted.DeleteMarker], [second, undefined]);
  assert.equal(await read(s3, Bucket), 'one');
  await assert.rejects(read(s3, Bucket, second), refusal('NoSuchVersion', 404));
  assert.equal((await readdir(path.join(dataDir, 'content'))).length, 1);
});

test('what was written before versioning is the null version, and a suspended bucket writes it again', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  const set = (Status: 'Enabled' | 'Suspended') =>
    s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status } }));
  assert.equal(await put(s3, Bucket, 'before'), 'none');
  await set('Enabled');
  assert.equal(await read(s3, Bucket, 'null'), 'before');
  const version = await put(s3, Bucket, 'versioned');
  await set('Suspended');
  assert.equal(await put(s3, Bucket, 'suspended'), 'null');
  assert.equal(await read(s3, Bucket), 'suspended');
  assert.equal(await read(s3, Bucket, version), 'versioned');
  const deleted = await s3.send(new DeleteObjectCommand({ Bucket, Key }));
  assert.deepEqual([deleted.VersionId, deleted.DeleteMarker], ['null', true]);
  await assert.rejects(read(s3, Bucket), refusal('NoSuchKey', 404));
  const all = await s3.send(new ListObjectVersionsCommand({ Bucket }));
  assert.deepEqual(
    all.Versions?.map(({ VersionId }) => VersionId),
    [version],
  );
});

test('many are deleted at once, each with its own outcome', async (t) => {
  const { s3, Bucket } = await startWithBucket(t, { versioned: true });
  const version = await put(s3, Bucket, 'one');
  const Objects = [
    { Key, VersionId: version },
    { Key: 'never there & <odd>' },
    { Key, VersionId: 'x' },
    { Key: 'x'.repeat(1025) },
  ];
  const result = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
  assert.deepEqual(
    result.Deleted?.map((deleted) => [deleted.Key, deleted.VersionId, deleted.DeleteMarker]),
    [
      [Key, version, undefined],
      ['never there & <odd>', undefined, true],
    ],
  );
  assert.deepEqual(
    result.Errors?.map(({ Code }) => Code),
    ['InvalidArgument', 'KeyTooLongError'],
  );
});
