// Case D1: the checksum of the bytes counts, however the object came to S3.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { openPinnedPayload, validatePayload } from '../../jobs/payload.ts';
import type { PayloadReference } from '../../jobs/payload-reference.ts';
import { handler } from '../../tasks/validate-payload.ts';
import {
  bucket,
  eventOf,
  putPayload,
  reportedFailure,
  seedDocumentJob,
  sha256Of,
  startTaskWorld,
} from './task-fixture.ts';

const { deps, sql, s3 } = await startTaskWorld();
const validate = handler.withDeps(deps);
const maxPayloadBytes = 64 * 1024 * 1024;
const bytes = Buffer.alloc(12 * 1024 * 1024, 'a document of twelve MiB ');

async function run(reference: PayloadReference, max = maxPayloadBytes): Promise<unknown> {
  const jobId = await seedDocumentJob(sql, { documentId: 'd', version: 1 }, reference);
  return await validate(eventOf(jobId, 'ValidatePayload', { maxPayloadBytes: max }));
}

async function putInParts(body: Buffer): Promise<PayloadReference> {
  const target = { Bucket: bucket, Key: 'payloads/acme/in-parts' };
  const { UploadId } = await s3.send(
    new CreateMultipartUploadCommand({ ...target, ChecksumAlgorithm: 'SHA256' }),
  );
  const Parts = [];
  for (const [index, at] of [0, 5, 10].entries()) {
    const part = body.subarray(at * 1024 ** 2, (at + 5) * 1024 ** 2);
    const PartNumber = index + 1;
    const { ETag, ChecksumSHA256 } = await s3.send(
      new UploadPartCommand({
        ...target,
        UploadId,
        PartNumber,
        Body: part,
        ChecksumAlgorithm: 'SHA256',
      }),
    );
    Parts.push({ PartNumber, ETag, ChecksumSHA256 });
  }
  await s3.send(
    new CompleteMultipartUploadCommand({ ...target, UploadId, MultipartUpload: { Parts } }),
  );
  return { bucket, key: target.Key, sha256: sha256Of(body), size: body.length };
}

test('a right hash of the whole file is right for one PUT and for three parts', async () => {
  for (const reference of [await putPayload(s3, bytes), await putInParts(bytes)]) {
    assert.deepEqual(await run(reference), { bytes: bytes.length });
  }
});

test('a wrong hash, a flipped bit and a wrong size are told apart by name, and no pin is stored', async () => {
  const reference = await putPayload(s3, bytes);
  const flipped = Buffer.from(bytes);
  flipped[5_000_000] = (flipped[5_000_000] ?? 0) ^ 1;
  const wrongHash = { ...reference, sha256: sha256Of(flipped) };
  // What S3 itself calls the SHA-256 of an object in parts: of the parts' hashes.
  const hashes = [0, 5, 10].map((at) =>
    sha256Of(bytes.subarray(at * 1024 ** 2, (at + 5) * 1024 ** 2)),
  );
  const composite = { ...reference, sha256: sha256Of(Buffer.from(hashes.join(''), 'hex')) };
  const wrongSize = { ...reference, size: bytes.length + 1 };
  const both = { ...wrongHash, size: 1 };
  for (const [wrong, expected] of [
    [wrongHash, `sha256 is ${reference.sha256}, payloadRef says ${wrongHash.sha256}`],
    [composite, `sha256 is ${reference.sha256}, payloadRef says ${composite.sha256}`],
    [wrongSize, `size is ${bytes.length} bytes, payloadRef says ${wrongSize.size}`],
    [
      both,
      `sha256 is ${reference.sha256}, payloadRef says ${both.sha256}; size is ${bytes.length} bytes, payloadRef says 1`,
    ],
  ] as const) {
    assert.deepEqual(await reportedFailure(run(wrong)), {
      errorType: 'Terminal',
      code: 'PAYLOAD_CHECKSUM_MISMATCH',
      state: 'ValidatePayload',
      message: expected,
    });
  }
  const [pinned] =
    await sql`select count(*)::int as count from jobs where payload_pin is not null and payload_ref->>'key' = ${reference.key}`;
  assert.equal(pinned?.['count'], 0);
});

test('what is not there, in another tenant’s prefix, in another bucket or too large is terminal', async () => {
  const reference = await putPayload(s3, bytes);
  const codeOf = async (changed: Partial<PayloadReference>, max?: number): Promise<string> =>
    (await reportedFailure(run({ ...reference, ...changed }, max))).code;
  assert.equal(await codeOf({ key: 'payloads/acme/nothing' }), 'PAYLOAD_NOT_FOUND');
  assert.equal(await codeOf({ key: 'payloads/other/x' }), 'INPUT_INVALID');
  assert.equal(await codeOf({ key: 'payloads/acme/../other/x' }), 'INPUT_INVALID');
  assert.equal(await codeOf({ bucket: 'another' }), 'INPUT_INVALID');
  assert.equal(await codeOf({}, bytes.length - 1), 'PAYLOAD_TOO_LARGE');
});

test('a job without a payload is told so', async () => {
  const failure = await reportedFailure(run(null as never));
  assert.equal(failure.code, 'INPUT_INVALID');
});

test('an object that is replaced after validation is PAYLOAD_CHANGED, one that is deleted PAYLOAD_NOT_FOUND', async () => {
  const reference = await putPayload(s3, Buffer.from('before'));
  const pin = await validatePayload(s3, reference, maxPayloadBytes);
  assert.equal(pin.versionId, null);
  const target = { Bucket: bucket, Key: reference.key };
  await s3.send(new PutObjectCommand({ ...target, Body: 'after' }));
  await assert.rejects(openPinnedPayload(s3, pin), { name: 'Terminal', code: 'PAYLOAD_CHANGED' });
  await s3.send(new DeleteObjectCommand(target));
  await assert.rejects(openPinnedPayload(s3, pin), { name: 'Terminal', code: 'PAYLOAD_NOT_FOUND' });
});

test('a read of other bytes under the same pin is found by their hash', async () => {
  const reference = await putPayload(s3, Buffer.from('the bytes'));
  const pin = await validatePayload(s3, reference, maxPayloadBytes);
  const read = await openPinnedPayload(s3, { ...pin, sha256: sha256Of(Buffer.from('others')) });
  await assert.rejects(Array.fromAsync(read), { code: 'PAYLOAD_CHANGED' });
});
