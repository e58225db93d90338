import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { refusal, startWithBucket } from './start-s3.ts';

const Key = 'k';

test('If-None-Match: * creates once, of twenty at the same moment too', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  const create = (Body: string) =>
    s3.send(new PutObjectCommand({ Bucket, Key, Body, IfNoneMatch: '*' }));
  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, (_, at) => create(`writer ${at}`)),
  );
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') refusal('PreconditionFailed', 412)(outcome.reason);
  }
  await s3.send(new DeleteObjectCommand({ Bucket, Key }));
  await create('again');
});

test('a delete marker counts as absent for If-None-Match: *', async (t) => {
  const { s3, Bucket } = await startWithBucket(t, { versioned: true });
  const create = () => s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x', IfNoneMatch: '*' }));
  await create();
  await assert.rejects(create(), refusal('PreconditionFailed', 412));
  await s3.send(new DeleteObjectCommand({ Bucket, Key }));
  await create();
});

test('If-Match replaces only what the writer has seen: 412 for another, 404 for none', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  const replace = (IfMatch: string) =>
    s3.send(new PutObjectCommand({ Bucket, Key, Body: 'new', IfMatch }));
  await assert.rejects(replace('"0"'), refusal('NoSuchKey', 404));
  const { ETag = '' } = await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'old' }));
  await assert.rejects(replace('"0"'), refusal('PreconditionFailed', 412));
  await replace(ETag);
  await assert.rejects(replace(ETag), refusal('PreconditionFailed', 412));
});

test('a key deleted while a conditional write was coming in is 409 ConditionalRequestConflict', async (t) => {
  const { s3, client, Bucket } = await startWithBucket(t);
  const body = new PassThrough();
  const slow = client({ requestChecksumCalculation: 'WHEN_REQUIRED' });
  const command = new PutObjectCommand({
    Bucket,
    Key,
    Body: body,
    ContentLength: 200_000,
    IfNoneMatch: '*',
  });
  const writing = slow.send(command);
  body.write(Buffer.alloc(100_000));
  if (body.writableNeedDrain) await once(body, 'drain');
  await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'quick' }));
  await s3.send(new DeleteObjectCommand({ Bucket, Key }));
  body.end(Buffer.alloc(100_000));
  await assert.rejects(writing, refusal('ConditionalRequestConflict', 409));
});

test('a multipart upload is completed on its condition only, and may be completed after it holds', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  const part = { Bucket, Key, UploadId, PartNumber: 1, Body: 'part' };
  const { ETag } = await s3.send(new UploadPartCommand(part));
  const complete = () =>
    s3.send(
      new CompleteMultipartUploadCommand({
        Bucket,
        Key,
        UploadId,
        IfNoneMatch: '*',
        MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] },
      }),
    );
  await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'in the way' }));
  await assert.rejects(complete(), refusal('PreconditionFailed', 412));
  await s3.send(new DeleteObjectCommand({ Bucket, Key }));
  await complete();
});

test('reads are conditional on ETag and time, with 304 and 412', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  const { ETag = '' } = await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }));
  const before = new Date(Date.now() - 3_600_000);
  const after = new Date(Date.now() + 3_600_000);
  const get = (condition: object) => s3.send(new GetObjectCommand({ Bucket, Key, ...condition }));
  const notModified = refusal('Unknown', 304);
  const failed = refusal('PreconditionFailed', 412);
  await get({ IfMatch: ETag });
  await get({ IfMatch: '*' });
  await get({ IfNoneMatch: '"0"' });
  await get({ IfModifiedSince: before });
  await get({ IfUnmodifiedSince: after });
  await get({ IfMatch: ETag, IfUnmodifiedSince: before });
  await get({ IfNoneMatch: '"0"', IfModifiedSince: after });
  await assert.rejects(get({ IfMatch: '"0"' }), failed);
  await assert.rejects(get({ IfUnmodifiedSince: before }), failed);
  await assert.rejects(get({ IfNoneMatch: ETag }), notModified);
  await assert.rejects(get({ IfModifiedSince: after }), notModified);
  const head = s3.send(new HeadObjectCommand({ Bucket, Key, IfMatch: '"0"' }));
  await assert.rejects(head, refusal('Unknown', 412));
});

test('a delete can be conditional on the ETag', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  const { ETag } = await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }));
  const remove = (IfMatch?: string) => s3.send(new DeleteObjectCommand({ Bucket, Key, IfMatch }));
  await assert.rejects(remove('"0"'), refusal('PreconditionFailed', 412));
  await remove(ETag);
  await assert.rejects(remove(ETag), refusal('NoSuchKey', 404));
});
