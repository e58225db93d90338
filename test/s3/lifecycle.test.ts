import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  type LifecycleRule,
  ListMultipartUploadsCommand,
  PutBucketLifecycleConfigurationCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { createS3Server } from '../../local/s3/server.ts';
import { refusal, s3Client, startWithBucket } from './start-s3.ts';
import { credentials, region } from './test-account.ts';

const rule = (prefix: string, status: 'Enabled' | 'Disabled' = 'Enabled'): LifecycleRule => ({
  ID: `abort ${prefix} ${status}`,
  Status: status,
  Filter: { Prefix: prefix },
  AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
});

test('an upload that nobody completed is gone with its parts at the midnight after its days', async (t) => {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 's3-lifecycle-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const startedAt = Date.now();
  let offsetMs = 0;
  const during = async <Result>(
    work: (s3: ReturnType<typeof s3Client>) => Promise<Result>,
  ): Promise<Result> => {
    const clock = { now: () => startedAt + offsetMs };
    const log = { info: () => undefined, error: () => undefined };
    const server = createS3Server({ dataDir, region, credentials: [credentials], clock, log });
    const { port } = await server.listen('127.0.0.1', 0);
    const s3 = s3Client(`http://127.0.0.1:${port}`);
    try {
      return await work(s3);
    } finally {
      s3.destroy();
      await server.close();
    }
  };
  const uploads = (s3: ReturnType<typeof s3Client>) =>
    s3.send(new ListMultipartUploadsCommand({ Bucket: 'pail' }));
  const keysNow = () =>
    during(async (s3) => {
      // Requests are signed with this machine's time; the server's own lies ahead of it.
      offsetMs = 0;
      return ((await uploads(s3)).Uploads ?? []).map(({ Key }) => Key);
    });
  const contentFiles = async () =>
    (await readdir(path.join(dataDir, 'content'), { recursive: true, withFileTypes: true })).filter(
      (entry) => entry.isFile(),
    ).length;

  await during(async (s3) => {
    await s3.send(new CreateBucketCommand({ Bucket: 'pail' }));
    const Rules = [rule('payloads/'), rule('kept/', 'Disabled')];
    const LifecycleConfiguration = { Rules };
    await s3.send(
      new PutBucketLifecycleConfigurationCommand({ Bucket: 'pail', LifecycleConfiguration }),
    );
    for (const Key of ['payloads/a', 'kept/b', 'payload']) {
      const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket: 'pail', Key }));
      const part = { Bucket: 'pail', Key, UploadId, PartNumber: 1, Body: 'part' };
      await s3.send(new UploadPartCommand(part));
    }
  });
  assert.equal(await contentFiles(), 3);
  const dayMs = 24 * 60 * 60 * 1000;
  const untilMidnightMs = dayMs - (startedAt % dayMs);
  offsetMs = dayMs + untilMidnightMs - 1;
  assert.equal((await keysNow()).length, 3);
  offsetMs = dayMs + untilMidnightMs + 1;
  assert.deepEqual(await keysNow(), ['kept/b', 'payload']);
  assert.equal(await contentFiles(), 2);
});

test('a rule that aborts after no days is refused', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  const never = { ...rule(''), AbortIncompleteMultipartUpload: { DaysAfterInitiation: 0 } };
  await assert.rejects(
    s3.send(
      new PutBucketLifecycleConfigurationCommand({
        Bucket,
        LifecycleConfiguration: { Rules: [never] },
      }),
    ),
    refusal('MalformedXML', 400),
  );
});
