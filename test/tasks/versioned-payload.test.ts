import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { openPinnedPayload, validatePayload } from '../../jobs/payload.ts';
import { bucket, putPayload, startTaskWorld } from './task-fixture.ts';

const { s3 } = await startTaskWorld({ versioned: true });

test('in a bucket with versions the validated version is read, whatever is put over it', async () => {
  const reference = await putPayload(s3, Buffer.from('before'));
  const pin = await validatePayload(s3, reference, 100);
  assert.notEqual(pin.versionId, null);
  await s3.send(new PutObjectCommand({ Bucket: bucket, Key: reference.key, Body: 'after' }));
  const chunks = await Array.fromAsync(await openPinnedPayload(s3, pin));
  assert.equal(Buffer.concat(chunks).toString(), 'before');
});
