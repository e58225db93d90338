import {
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  UploadPartCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createS3Server } from '../../local/s3/server.ts';
import { forkS3, type ForkedS3 } from './fork-s3.ts';
import { refusal, s3Client } from './start-s3.ts';
import { credentials, region } from './test-account.ts';
import { waitFor } from '../support/wait-for.ts';

const Bucket = 'pail';

async function makeDataDir(t: TestContext): Promise<string> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 's3-test-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  return dataDir;
}

async function withServer<Result>(
  dataDir: string,
  work: (s3: S3Client, server: ForkedS3) => Promise<Result>,
): Promise<Result> {
  const server = await forkS3(dataDir);
  const s3 = s3Client(server.endpoint);
  try {
    return await work(s3, server);
  } finally {
    await server.kill();
    s3.destroy();
  }
}

async function makeBucket(s3: S3Client): Promise<void> {
  const CreateBucketConfiguration = { LocationConstraint: region } as const;
  await s3.send(new CreateBucketCommand({ Bucket, CreateBucketConfiguration }));
}

/** Overwrites and deletes keys of its own until the server dies; `known` holds what was acknowledged, or undefined while in doubt. */
async function writeUntilKilled(
  s3: S3Client,
  writer: number,
  known: Map<string, string | undefined>,
) {
  for (let at = 0; ; at += 1) {
    const Key = `writer-${writer}/key-${at % 7}`;
    const Body = at % 5 === 4 ? '' : `${Key} ${at} ${'x'.repeat((at % 3) * 50_000)}`;
    known.set(Key, undefined);
    try {
      if (Body === '') await s3.send(new DeleteObjectCommand({ Bucket, Key }));
      else await s3.send(new PutObjectCommand({ Bucket, Key, Body }));
    } catch {
      return;
    }
    known.set(Key, Body);
  }
}

test('whatever was acknowledged before kill -9 is there afterwards, at whatever moment it fell', async (t) => {
  const dataDir = await makeDataDir(t);
  await withServer(dataDir, makeBucket);
  let acknowledged = 0;
  for (const aliveMs of [120, 250, 370, 500]) {
    const known = new Map<string, string | undefined>();
    await withServer(dataDir, async (s3, server) => {
      const writers = Array.from({ length: 8 }, (_, writer) => writeUntilKilled(s3, writer, known));
      // On a busy machine little is acknowledged in that time, and nothing would be proved.
      const enough = () => [...known.values()].filter((body) => body !== undefined).length >= 25;
      await Promise.all([delay(aliveMs), waitFor(enough, 20_000)]);
      await server.kill();
      await Promise.all(writers);
    });
    await withServer(dataDir, async (s3) => {
      assert.deepEqual(await readdir(path.join(dataDir, 'incoming')), []);
      const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket }));
      const files = await readdir(path.join(dataDir, 'content'));
      assert.equal(files.length, Contents.length, 'no file without an object, no object without');
      for (const [Key, body] of known) {
        if (body === undefined) continue;
        acknowledged += 1;
        const read = s3.send(new GetObjectCommand({ Bucket, Key }));
        if (body === '') await assert.rejects(read, refusal('NoSuchKey', 404));
        else assert.equal(await (await read).Body?.transformToString(), body);
      }
      for (const { Key } of Contents) {
        const got = await s3.send(new GetObjectCommand({ Bucket, Key }));
        const text = (await got.Body?.transformToString()) ?? '';
        assert.ok(text.startsWith(`${Key} `), 'also what was in doubt is whole');
        assert.equal(text.length, got.ContentLength);
      }
    });
  }
  assert.ok(acknowledged > 50, `only ${acknowledged} keys were acknowledged`);
});

test('a multipart upload goes on after kill -9 with the parts it had', async (t) => {
  const dataDir = await makeDataDir(t);
  const bodies = [randomBytes(5 * 1024 * 1024), randomBytes(1000)] as const;
  const Key = 'k';
  const start = await withServer(dataDir, async (s3) => {
    await makeBucket(s3);
    await s3.send(
      new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Enabled' } }),
    );
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }));
    const part = { Bucket, Key, UploadId, PartNumber: 1, Body: bodies[0] };
    const { ETag } = await s3.send(new UploadPartCommand(part));
    return { UploadId, ETag };
  });
  const target = { Bucket, Key, UploadId: start.UploadId };
  const complete = { ...target, MultipartUpload: { Parts: [{ PartNumber: 1, ETag: start.ETag }] } };
  const done = await withServer(dataDir, async (s3) => {
    const listed = await s3.send(new ListPartsCommand(target));
    assert.deepEqual(
      listed.Parts?.map(({ ETag }) => ETag),
      [start.ETag],
    );
    const part = { ...target, PartNumber: 2, Body: bodies[1] };
    const { ETag } = await s3.send(new UploadPartCommand(part));
    complete.MultipartUpload.Parts.push({ PartNumber: 2, ETag });
    return s3.send(new CompleteMultipartUploadCommand(complete));
  });
  await withServer(dataDir, async (s3) => {
    const again = await s3.send(new CompleteMultipartUploadCommand(complete));
    assert.equal(again.VersionId, done.VersionId, 'the answer to a Complete whose answer was lost');
    const got = await s3.send(new GetObjectCommand({ Bucket, Key }));
    const bytes = Buffer.from((await got.Body?.transformToByteArray()) ?? []);
    assert.ok(bytes.equals(Buffer.concat(bodies)));
  });
});

test('a second server on the same folder is refused, and the first goes on', async (t) => {
  const dataDir = await makeDataDir(t);
  await withServer(dataDir, async (s3) => {
    await makeBucket(s3);
    await s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x' }));
    const log = { info: () => undefined, error: () => undefined };
    const options = { dataDir, region, credentials: [credentials], clock: Date, log };
    const second = createS3Server(options);
    await assert.rejects(second.listen('127.0.0.1', 0), /in use by another S3 server/);
    const got = await s3.send(new GetObjectCommand({ Bucket, Key: 'k' }));
    assert.equal(await got.Body?.transformToString(), 'x');
  });
});

test('a server that was closed lets the next one take the folder, and closing twice is closing once', async (t) => {
  const dataDir = await makeDataDir(t);
  const log = { info: () => undefined, error: () => undefined };
  for (let round = 0; round < 2; round += 1) {
    const options = { dataDir, region, credentials: [credentials], clock: Date, log };
    const server = createS3Server(options);
    const { port } = await server.listen('127.0.0.1', 0);
    const s3 = s3Client(`http://127.0.0.1:${port}`);
    if (round === 0) await makeBucket(s3);
    else await s3.send(new ListObjectsV2Command({ Bucket }));
    await Promise.all([server.close(), server.close()]);
    s3.destroy();
  }
});
