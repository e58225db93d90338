import {
  CopyObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
} from '@aws-sdk/client-s3';
import * as fc from 'fast-check';
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import {
  checksumAlgorithms,
  createChecksum,
  crcField,
  type ChecksumAlgorithm,
} from '../../local/s3/checksums/checksum-algorithms.ts';
import { combineCrcs } from '../../local/s3/checksums/combine-crc.ts';
import { refusal, startWithBucket } from './start-s3.ts';

function checksumOf(algorithm: ChecksumAlgorithm, bytes: Uint8Array): Buffer {
  const checksum = createChecksum(algorithm);
  checksum.update(bytes);
  return checksum.digest();
}

test('CRCs give the check values of their catalogue entries', () => {
  const digits = Buffer.from('123456789');
  assert.equal(checksumOf('CRC32', digits).toString('hex'), 'cbf43926');
  assert.equal(checksumOf('CRC32C', digits).toString('hex'), 'e3069283');
  assert.equal(checksumOf('CRC64NVME', digits).toString('hex'), 'ae8b14860a799888');
});

test('a checksum does not depend on how the bytes are cut, and CRCs of pieces combine into that of the whole', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 8 }), (pieces) => {
      const whole = Buffer.concat(pieces);
      for (const algorithm of checksumAlgorithms) {
        const running = createChecksum(algorithm);
        for (const piece of pieces) running.update(piece);
        assert.deepEqual(running.digest(), checksumOf(algorithm, whole));
        const field = crcField(algorithm);
        if (field === undefined) continue;
        const parts = pieces.map((piece) => ({
          digest: checksumOf(algorithm, piece),
          bytes: piece.length,
        }));
        const empty = { digest: checksumOf(algorithm, Buffer.alloc(0)), bytes: 0 };
        assert.deepEqual(combineCrcs(field, [empty, ...parts]), checksumOf(algorithm, whole));
      }
    }),
  );
});

test('every algorithm is verified when sent, stored, and returned with checksum mode ENABLED', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  const Body = Buffer.from('the bytes');
  for (const algorithm of checksumAlgorithms) {
    const field = `Checksum${algorithm}` as const;
    const right = checksumOf(algorithm, Body).toString('base64');
    const wrong = checksumOf(algorithm, Buffer.from('other')).toString('base64');
    const object = { Bucket, Key: algorithm };
    const refused = s3.send(new PutObjectCommand({ ...object, Body, [field]: wrong }));
    await assert.rejects(refused, refusal('BadDigest', 400));
    await assert.rejects(s3.send(new HeadObjectCommand(object)), refusal('NotFound', 404));
    const put = await s3.send(new PutObjectCommand({ ...object, Body, [field]: right }));
    assert.equal(put[field], right);
    assert.equal(put.ChecksumType, 'FULL_OBJECT');
    const head = await s3.send(new HeadObjectCommand({ ...object, ChecksumMode: 'ENABLED' }));
    assert.deepEqual([head[field], head.ChecksumType], [right, 'FULL_OBJECT']);
    const plain = await s3.send(new HeadObjectCommand(object));
    assert.equal(plain[field], undefined, 'without checksum mode there is none');
    // The SDK verifies a GET's checksum itself and gives up on algorithms it cannot compute.
    if (algorithm === 'SHA512' || algorithm === 'MD5') continue;
    const got = await s3.send(new GetObjectCommand({ ...object, ChecksumMode: 'ENABLED' }));
    assert.equal(got[field], right);
    assert.equal(await got.Body?.transformToString(), 'the bytes');
  }
});

test('the SDK computes the checksum of a stream into the trailer, and it is verified', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  for (const ChecksumAlgorithm of ['CRC32', 'CRC32C', 'SHA1', 'SHA256', 'CRC64NVME'] as const) {
    const Body = Readable.from([Buffer.from('the '), Buffer.from('bytes')]);
    const object = { Bucket, Key: ChecksumAlgorithm };
    const put = await s3.send(
      new PutObjectCommand({ ...object, Body, ContentLength: 9, ChecksumAlgorithm }),
    );
    const expected = checksumOf(ChecksumAlgorithm, Buffer.from('the bytes')).toString('base64');
    assert.equal(put[`Checksum${ChecksumAlgorithm}`], expected);
  }
});

test('an object put without a checksum has a CRC64NVME', async (t) => {
  const { client, Bucket } = await startWithBucket(t);
  const s3 = client({ requestChecksumCalculation: 'WHEN_REQUIRED' });
  const object = { Bucket, Key: 'k' };
  await s3.send(new PutObjectCommand({ ...object, Body: '123456789' }));
  const head = await s3.send(new HeadObjectCommand({ ...object, ChecksumMode: 'ENABLED' }));
  const expected = Buffer.from('ae8b14860a799888', 'hex').toString('base64');
  assert.deepEqual([head.ChecksumCRC64NVME, head.ChecksumType], [expected, 'FULL_OBJECT']);
});

test('Content-MD5 is verified: BadDigest when it differs, InvalidDigest when it is none', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  const put = (ContentMD5: string) =>
    s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x', ContentMD5 }));
  const md5 = (text: string) => createHash('md5').update(text).digest('base64');
  await put(md5('x'));
  await assert.rejects(put(md5('y')), refusal('BadDigest', 400));
  await assert.rejects(put('not-base64'), refusal('InvalidDigest', 400));
});

test('a malformed checksum or two at once are InvalidRequest', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  const put = (extra: Partial<PutObjectCommandInput>) =>
    s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x', ...extra }));
  await assert.rejects(put({ ChecksumSHA256: 'AAAA' }), refusal('InvalidRequest', 400));
  const two = { ChecksumCRC32: 'AAAAAA==', ChecksumSHA1: `${'A'.repeat(27)}=` };
  await assert.rejects(put(two), refusal('InvalidRequest', 400));
});

test('a copy keeps the algorithm of its source, or takes the one asked for', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  await s3.send(
    new PutObjectCommand({ Bucket, Key: 'k', Body: '123456789', ChecksumAlgorithm: 'CRC32C' }),
  );
  const copy = { Bucket, Key: 'copy', CopySource: `${Bucket}/k` };
  const same = await s3.send(new CopyObjectCommand(copy));
  assert.equal(same.CopyObjectResult?.ChecksumCRC32C, '4waSgw==');
  const other = await s3.send(new CopyObjectCommand({ ...copy, ChecksumAlgorithm: 'SHA256' }));
  const sha256 = createHash('sha256').update('123456789').digest('base64');
  assert.equal(other.CopyObjectResult?.ChecksumSHA256, sha256);
});
