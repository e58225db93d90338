import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadBucketCommand,
  PutObjectCommand,
  UploadPartCommand,
  type GetObjectCommandOutput,
} from '@aws-sdk/client-s3';
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { forkS3 } from './fork-s3.ts';
import { s3Client } from './start-s3.ts';
import { region } from './test-account.ts';

const Bucket = 'pail';
const mebibyte = 1024 * 1024;
const piece = Buffer.alloc(mebibyte, 'pawl');
/** S3_TEST_MEBIBYTES=1024 tries the full gigabyte that the bound is meant for. */
const totalMebibytes = Number(process.env['S3_TEST_MEBIBYTES'] ?? 160);
const parts = 4;
const maxRssBytes = 200 * mebibyte;

function stream(mebibytes: number): Readable {
  return Readable.from(Array.from({ length: mebibytes }, () => piece));
}

async function sha256(source: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of source) hash.update(bytes);
  return hash.digest('base64');
}

async function bodyDigest({ Body }: GetObjectCommandOutput): Promise<string> {
  assert.ok(Body instanceof Readable);
  return sha256(Body);
}

test('big objects pass through by PUT, multipart, copy and GET in under 200 MiB of memory, and others are served meanwhile', async (t) => {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 's3-test-'));
  const server = await forkS3(dataDir);
  const s3 = s3Client(server.endpoint);
  t.after(async () => {
    await server.kill();
    s3.destroy();
    await rm(dataDir, { recursive: true, force: true });
  });
  const CreateBucketConfiguration = { LocationConstraint: region } as const;
  await s3.send(new CreateBucketCommand({ Bucket, CreateBucketConfiguration }));
  const expected = await sha256(stream(totalMebibytes));

  let slowestMs = 0;
  const transfers = new AbortController();
  const others = (async () => {
    while (!transfers.signal.aborted) {
      const startMs = performance.now();
      await s3.send(new HeadBucketCommand({ Bucket }));
      slowestMs = Math.max(slowestMs, performance.now() - startMs);
      await delay(20);
    }
  })();

  const Body = stream(totalMebibytes);
  const ContentLength = totalMebibytes * mebibyte;
  await s3.send(new PutObjectCommand({ Bucket, Key: 'put', Body, ContentLength }));

  const upload = { Bucket, Key: 'parts' };
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand(upload));
  const Parts = await Promise.all(
    Array.from({ length: parts }, async (_, at) => {
      const part = {
        ...upload,
        UploadId,
        PartNumber: at + 1,
        Body: stream(totalMebibytes / parts),
        ContentLength: ContentLength / parts,
      };
      return { PartNumber: at + 1, ETag: (await s3.send(new UploadPartCommand(part))).ETag };
    }),
  );
  const complete = { ...upload, UploadId, MultipartUpload: { Parts } };
  await s3.send(new CompleteMultipartUploadCommand(complete));
  const copy = { Bucket, Key: 'copy', CopySource: `${Bucket}/parts` };
  const { CopyObjectResult } = await s3.send(
    new CopyObjectCommand({ ...copy, ChecksumAlgorithm: 'SHA256' }),
  );
  assert.equal(CopyObjectResult?.ChecksumSHA256, expected);

  for (const Key of ['put', 'parts']) {
    const got = await s3.send(new GetObjectCommand({ Bucket, Key }));
    assert.equal(got.ContentLength, ContentLength);
    assert.equal(await bodyDigest(got), expected);
  }
  transfers.abort();
  await others;
  const usedBytes = await server.maxRssBytes();
  t.diagnostic(
    `${totalMebibytes} MiB: ${Math.round(usedBytes / mebibyte)} MiB of memory, slowest other request ${Math.round(slowestMs)} ms`,
  );
  assert.ok(usedBytes < maxRssBytes, `the server used ${usedBytes} bytes`);
  assert.ok(slowestMs < 1000, `another request waited ${slowestMs} ms`);
});
