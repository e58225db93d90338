import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
  type CompletedPart,
  type CompleteMultipartUploadCommandInput,
  type CreateMultipartUploadCommandInput,
  type S3Client,
} from '@aws-sdk/client-s3';
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import {
  createChecksum,
  type ChecksumAlgorithm,
} from '../../local/s3/checksums/checksum-algorithms.ts';
import { refusal, startWithBucket } from './start-s3.ts';
import { waitFor } from './wait-for.ts';

const Key = 'big';
const minPart = 5 * 1024 * 1024;
const bodies = [randomBytes(minPart), randomBytes(minPart + 1), randomBytes(1000)];
const whole = Buffer.concat(bodies);

interface Uploading {
  target: { Bucket: string; Key: string; UploadId: string | undefined };
  parts: CompletedPart[];
}

/** Uploads the three bodies as parts, each with the upload's own checksum if it has one. */
async function upload(
  s3: S3Client,
  Bucket: string,
  create: Partial<CreateMultipartUploadCommandInput> = {},
): Promise<Uploading> {
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key, ...create }));
  const target = { Bucket, Key, UploadId };
  const parts: CompletedPart[] = [];
  for (const [at, Body] of bodies.entries()) {
    const PartNumber = at + 1;
    const { ChecksumAlgorithm } = create;
    const input = { ...target, PartNumber, Body, ChecksumAlgorithm };
    const { $metadata, ...part } = await s3.send(new UploadPartCommand(input));
    assert.equal($metadata.httpStatusCode, 200);
    const { ETag, ChecksumCRC32, ChecksumCRC32C, ChecksumCRC64NVME, ChecksumSHA1, ChecksumSHA256 } =
      part;
    const given = {
      ChecksumCRC32,
      ChecksumCRC32C,
      ChecksumCRC64NVME,
      ChecksumSHA1,
      ChecksumSHA256,
    };
    parts.push({ PartNumber, ETag, ...given });
  }
  return { target, parts };
}

function complete(
  s3: S3Client,
  { target, parts }: Uploading,
  extra: Partial<CompleteMultipartUploadCommandInput> = {},
) {
  const input = { ...target, MultipartUpload: { Parts: parts }, ...extra };
  return s3.send(new CompleteMultipartUploadCommand(input));
}

function digest(algorithm: ChecksumAlgorithm, ...pieces: Buffer[]): string {
  const checksum = createChecksum(algorithm);
  for (const piece of pieces) checksum.update(piece);
  return checksum.digest().toString('base64');
}

test('parts become one object whose ETag says how many they were', async (t) => {
  const { s3, Bucket } = await startWithBucket(t, { versioned: true });
  const uploading = await upload(s3, Bucket, { ContentType: 'text/csv', Metadata: { a: '1' } });
  const done = await complete(s3, uploading);
  const md5s = bodies.map((body) => createHash('md5').update(body).digest());
  const etag = createHash('md5').update(Buffer.concat(md5s)).digest('hex');
  assert.equal(done.ETag, `"${etag}-3"`);
  assert.ok(done.VersionId);
  const got = await s3.send(new GetObjectCommand({ Bucket, Key }));
  assert.ok(Buffer.from((await got.Body?.transformToByteArray()) ?? []).equals(whole));
  assert.deepEqual([got.ContentType, got.Metadata], ['text/csv', { a: '1' }]);
  const Range = `bytes=${minPart - 2}-${minPart + 2}`;
  const range = await s3.send(new GetObjectCommand({ Bucket, Key, Range }));
  const expected = whole.subarray(minPart - 2, minPart + 3);
  assert.ok(Buffer.from((await range.Body?.transformToByteArray()) ?? []).equals(expected));
  const part = await s3.send(new GetObjectCommand({ Bucket, Key, PartNumber: 3 }));
  assert.deepEqual([part.PartsCount, part.ContentLength], [3, 1000]);
  const none = s3.send(new GetObjectCommand({ Bucket, Key, PartNumber: 4 }));
  await assert.rejects(none, refusal('InvalidPartNumber', 416));
});

test('an object of several parts stays whole for its reader although it is deleted meanwhile', async (t) => {
  const { s3, Bucket, dataDir } = await startWithBucket(t);
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  const target = { Bucket, Key, UploadId };
  // More than the sockets' buffers hold, so that the last parts are not yet open when they are deleted.
  const Body = randomBytes(4 * minPart);
  const parts: CompletedPart[] = [];
  for (const PartNumber of [1, 2, 3]) {
    const { ETag } = await s3.send(new UploadPartCommand({ ...target, PartNumber, Body }));
    parts.push({ PartNumber, ETag });
  }
  await complete(s3, { target, parts });
  const got = await s3.send(new GetObjectCommand({ Bucket, Key }));
  await s3.send(new DeleteObjectCommand({ Bucket, Key }));
  const bytes = Buffer.from((await got.Body?.transformToByteArray()) ?? []);
  assert.ok(bytes.equals(Buffer.concat([Body, Body, Body])));
  await waitFor(async () => (await readdir(path.join(dataDir, 'content'))).length === 0, 5000);
});

test('a composite checksum is over the parts’ checksums, and is not the file’s', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  for (const algorithm of ['SHA256', 'SHA1', 'CRC32', 'CRC32C'] as const) {
    const uploading = await upload(s3, Bucket, { ChecksumAlgorithm: algorithm });
    const field = `Checksum${algorithm}` as const;
    const partDigests = bodies.map((body) => Buffer.from(digest(algorithm, body), 'base64'));
    const expected = `${digest(algorithm, ...partDigests)}-3`;
    const done = await complete(s3, uploading);
    assert.deepEqual([done[field], done.ChecksumType], [expected, 'COMPOSITE']);
    const head = await s3.send(new HeadObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED' }));
    assert.deepEqual([head[field], head.ChecksumType], [expected, 'COMPOSITE']);
    assert.notEqual(head[field], digest(algorithm, whole));
  }
});

test('a full-object CRC is that of the whole file, and a wrong claim is BadDigest', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  for (const algorithm of ['CRC64NVME', 'CRC32', 'CRC32C'] as const) {
    const create = { ChecksumAlgorithm: algorithm, ChecksumType: 'FULL_OBJECT' } as const;
    const uploading = await upload(s3, Bucket, create);
    const field = `Checksum${algorithm}` as const;
    const expected = digest(algorithm, whole);
    const wrong = complete(s3, uploading, { [field]: digest(algorithm, Buffer.from('x')) });
    await assert.rejects(wrong, refusal('BadDigest', 400));
    const done = await complete(s3, uploading, { [field]: expected, ChecksumType: 'FULL_OBJECT' });
    assert.deepEqual([done[field], done.ChecksumType], [expected, 'FULL_OBJECT']);
    const got = await s3.send(new GetObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED' }));
    assert.equal(got[field], expected);
    assert.equal((await got.Body?.transformToByteArray())?.length, whole.length);
  }
});

test('an upload that named no algorithm accepts a SHA-256 at the end and neither checks nor keeps it', async (t) => {
  const { client, Bucket } = await startWithBucket(t);
  const s3 = client({ requestChecksumCalculation: 'WHEN_REQUIRED' });
  const uploading = await upload(s3, Bucket);
  const md5 = digest('MD5', whole);
  await assert.rejects(
    complete(s3, uploading, { ChecksumMD5: md5 }),
    refusal('InvalidRequest', 400),
  );
  const ChecksumSHA256 = digest('SHA256', Buffer.from('something else'));
  const done = await complete(s3, uploading, { ChecksumSHA256 });
  assert.equal(done.ChecksumSHA256, undefined);
  assert.equal(done.ChecksumCRC64NVME, digest('CRC64NVME', whole));
});

test('algorithm and type that do not go together are refused at the start', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  const create = (
    ChecksumAlgorithm: ChecksumAlgorithm,
    ChecksumType: 'FULL_OBJECT' | 'COMPOSITE',
  ) => s3.send(new CreateMultipartUploadCommand({ Bucket, Key, ChecksumAlgorithm, ChecksumType }));
  await assert.rejects(create('SHA256', 'FULL_OBJECT'), refusal('InvalidRequest', 400));
  await assert.rejects(create('CRC64NVME', 'COMPOSITE'), refusal('InvalidRequest', 400));
});

test('a part with a wrong checksum or of another algorithm is refused', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  const create = { Bucket, Key, ChecksumAlgorithm: 'SHA256' } as const;
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand(create));
  const part = { Bucket, Key, UploadId, PartNumber: 1, Body: 'x' };
  const wrong = { ...part, ChecksumSHA256: digest('SHA256', Buffer.from('y')) };
  await assert.rejects(s3.send(new UploadPartCommand(wrong)), refusal('BadDigest', 400));
  const other = { ...part, ChecksumCRC32: digest('CRC32', Buffer.from('x')) };
  await assert.rejects(s3.send(new UploadPartCommand(other)), refusal('InvalidRequest', 400));
  const listed = await s3.send(new ListPartsCommand({ Bucket, Key, UploadId }));
  assert.equal(listed.Parts, undefined);
});

test('a wrong list of parts is refused and the upload stays as it was', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  const uploading = await upload(s3, Bucket, { ChecksumAlgorithm: 'SHA256' });
  const [first = {}, second = {}, third = {}] = uploading.parts;
  const withParts = (...parts: CompletedPart[]) => complete(s3, { ...uploading, parts });
  await assert.rejects(withParts(), refusal('MalformedXML', 400));
  await assert.rejects(withParts(second, first), refusal('InvalidPartOrder', 400));
  await assert.rejects(withParts(first, first), refusal('InvalidPartOrder', 400));
  const absent = { ...third, PartNumber: 9 };
  await assert.rejects(withParts(first, absent), refusal('InvalidPart', 400));
  const otherEtag = { ...second, ETag: first.ETag };
  await assert.rejects(withParts(first, otherEtag), refusal('InvalidPart', 400));
  const otherSha = { ...second, ChecksumSHA256: first.ChecksumSHA256 };
  await assert.rejects(withParts(first, otherSha), refusal('InvalidPart', 400));
  const bare = { PartNumber: 1, ETag: first.ETag };
  await assert.rejects(withParts(bare, second), refusal('InvalidRequest', 400));
  await assert.rejects(withParts(first, third), refusal('InternalError', 500));
  const wrongSize = complete(s3, uploading, { MpuObjectSize: 1 });
  await assert.rejects(wrongSize, refusal('InvalidRequest', 400));
  const CopySource = `${Bucket}/${Key}`;
  const early = s3.send(new CopyObjectCommand({ Bucket, Key: 'x', CopySource }));
  await assert.rejects(early, refusal('NoSuchKey', 404));
  await complete(s3, uploading, { MpuObjectSize: whole.length });
});

test('only the last part may be under 5 MiB, and part numbers go from 1 to 10,000', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  const put = async (PartNumber: number, Body: string | Buffer) => {
    const input = { Bucket, Key, UploadId, PartNumber, Body };
    return { PartNumber, ETag: (await s3.send(new UploadPartCommand(input))).ETag };
  };
  await assert.rejects(put(0, 'x'), refusal('InvalidArgument', 400));
  await assert.rejects(put(10_001, 'x'), refusal('InvalidArgument', 400));
  const parts = [await put(1, Buffer.alloc(minPart - 1)), await put(10_000, 'x')];
  const uploading = { target: { Bucket, Key, UploadId }, parts };
  await assert.rejects(complete(s3, uploading), refusal('EntityTooSmall', 400));
  parts[0] = await put(1, Buffer.alloc(minPart));
  await complete(s3, uploading);
});

test('Complete repeated after a lost answer gives the same answer, and no second version', async (t) => {
  const { s3, Bucket } = await startWithBucket(t, { versioned: true });
  const uploading = await upload(s3, Bucket);
  const first = await complete(s3, uploading);
  const again = await complete(s3, uploading);
  assert.deepEqual([again.ETag, again.VersionId], [first.ETag, first.VersionId]);
  assert.equal(again.ChecksumCRC64NVME, first.ChecksumCRC64NVME);
});

test('uploads and their parts are listed, and an aborted one is gone with its bytes', async (t) => {
  const { s3, Bucket, dataDir } = await startWithBucket(t);
  const { target } = await upload(s3, Bucket, { ChecksumAlgorithm: 'SHA256' });
  const other = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key: 'dir/a' }));
  const all = await s3.send(new ListMultipartUploadsCommand({ Bucket, Delimiter: '/' }));
  assert.deepEqual(
    all.Uploads?.map(({ UploadId }) => UploadId),
    [target.UploadId],
  );
  assert.deepEqual(all.CommonPrefixes, [{ Prefix: 'dir/' }]);
  const page = await s3.send(new ListMultipartUploadsCommand({ Bucket, MaxUploads: 1 }));
  assert.equal(page.IsTruncated, true);
  const next = await s3.send(
    new ListMultipartUploadsCommand({
      Bucket,
      KeyMarker: page.NextKeyMarker,
      UploadIdMarker: page.NextUploadIdMarker,
    }),
  );
  assert.deepEqual(
    next.Uploads?.map(({ UploadId }) => UploadId),
    [other.UploadId],
  );
  const parts = await s3.send(new ListPartsCommand({ ...target, MaxParts: 2 }));
  assert.deepEqual(
    parts.Parts?.map(({ Size }) => Size),
    [minPart, minPart + 1],
  );
  assert.equal(parts.Parts?.[0]?.ChecksumSHA256, digest('SHA256', whole.subarray(0, minPart)));
  const PartNumberMarker = parts.NextPartNumberMarker;
  const rest = await s3.send(new ListPartsCommand({ ...target, PartNumberMarker }));
  assert.deepEqual(
    rest.Parts?.map(({ PartNumber }) => PartNumber),
    [3],
  );
  await s3.send(new AbortMultipartUploadCommand(target));
  await assert.rejects(s3.send(new ListPartsCommand(target)), refusal('NoSuchUpload', 404));
  assert.deepEqual(await readdir(path.join(dataDir, 'content')), []);
});

test('GetObjectAttributes shows the checksum and the parts; a copy has them no more', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  await complete(s3, await upload(s3, Bucket, { ChecksumAlgorithm: 'SHA256' }));
  const attributes = (key: string) =>
    s3.send(
      new GetObjectAttributesCommand({
        Bucket,
        Key: key,
        ObjectAttributes: ['ETag', 'Checksum', 'ObjectParts', 'ObjectSize', 'StorageClass'],
      }),
    );
  const found = await attributes(Key);
  assert.equal(found.ObjectSize, whole.length);
  assert.equal(found.Checksum?.ChecksumType, 'COMPOSITE');
  assert.equal(found.ObjectParts?.TotalPartsCount, 3);
  assert.equal(found.ObjectParts?.Parts?.[2]?.Size, 1000);
  const CopySource = `${Bucket}/${Key}`;
  await s3.send(new CopyObjectCommand({ Bucket, Key: 'copy', CopySource }));
  const copied = await attributes('copy');
  assert.equal(copied.Checksum?.ChecksumSHA256, digest('SHA256', whole));
  assert.equal(copied.Checksum?.ChecksumType, 'FULL_OBJECT');
  assert.equal(copied.ObjectParts, undefined);
});

test('a part can be copied from a range of an object', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  await s3.send(new PutObjectCommand({ Bucket, Key: 'source', Body: '0123456789' }));
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  const target = { Bucket, Key, UploadId };
  const copy = (CopySourceRange: string) =>
    s3.send(
      new UploadPartCopyCommand({
        ...target,
        PartNumber: 1,
        CopySource: `${Bucket}/source`,
        CopySourceRange,
      }),
    );
  await assert.rejects(copy('bytes=5-10'), refusal('InvalidArgument', 400));
  const { CopyPartResult } = await copy('bytes=3-5');
  await complete(s3, { target, parts: [{ PartNumber: 1, ETag: CopyPartResult?.ETag }] });
  const got = await s3.send(new GetObjectCommand({ Bucket, Key }));
  assert.equal(await got.Body?.transformToString(), '345');
});
