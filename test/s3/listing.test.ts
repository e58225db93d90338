import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteBucketLifecycleCommand,
  DeleteObjectCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketLocationCommand,
  GetBucketVersioningCommand,
  HeadBucketCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  paginateListObjectsV2,
  PutBucketLifecycleConfigurationCommand,
  PutObjectCommand,
  type ListObjectsV2CommandInput,
  type S3Client,
} from '@aws-sdk/client-s3';
import * as fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyBehind } from '../../local/s3/store/roll-up.ts';
import { refusal, startS3, startWithBucket } from './start-s3.ts';
import { region } from './test-account.ts';

async function putAll(s3: S3Client, Bucket: string, keys: readonly string[]): Promise<void> {
  for (const Key of keys) await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }));
}

/** All pages of a listing: keys and common prefixes in the order they came. The paginator writes into its input. */
async function listAll(client: S3Client, input: ListObjectsV2CommandInput): Promise<string[]> {
  const found: string[] = [];
  for await (const page of paginateListObjectsV2({ client }, { ...input })) {
    found.push(...(page.Contents ?? []).map(({ Key = '' }) => Key));
    found.push(...(page.CommonPrefixes ?? []).map(({ Prefix = '' }) => Prefix));
  }
  return found;
}

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

test('keys are listed in the order of their UTF-8 bytes, page by page, none twice and none missing', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  const keys = ['a', 'A', 'a/1', 'a0', 'ä', '\uffff', '🦔', 'b&<>', 'c d', 'tab\there', 'z'];
  await putAll(s3, Bucket, keys);
  const sorted = [...keys].sort(byBytes);
  assert.deepEqual(await listAll(s3, { Bucket }), sorted);
  for (const MaxKeys of [1, 2, 3, 5]) {
    assert.deepEqual(await listAll(s3, { Bucket, MaxKeys }), sorted);
  }
  const StartAfter = 'a/1';
  assert.deepEqual(
    await listAll(s3, { Bucket, StartAfter }),
    sorted.slice(sorted.indexOf('a/1') + 1),
  );
  const none = await s3.send(new ListObjectsV2Command({ Bucket, MaxKeys: 0 }));
  assert.deepEqual([none.KeyCount, none.IsTruncated], [0, false]);
  const encoded = await s3.send(
    new ListObjectsV2Command({ Bucket, EncodingType: 'url', Prefix: 'c ' }),
  );
  assert.equal(encoded.Contents?.[0]?.Key, 'c%20d');
});

test('a delimiter rolls keys up into prefixes, whatever the page size', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  await putAll(s3, Bucket, ['a/1', 'a/2', 'a/b/3', 'b', 'c/4', 'c/5', 'd', 'e/']);
  for (const MaxKeys of [1, 2, 3, 1000]) {
    const pages = { Bucket, MaxKeys, Delimiter: '/' };
    assert.deepEqual((await listAll(s3, pages)).sort(), ['a/', 'b', 'c/', 'd', 'e/']);
    assert.deepEqual((await listAll(s3, { ...pages, Prefix: 'a/' })).sort(), [
      'a/1',
      'a/2',
      'a/b/',
    ]);
    assert.deepEqual(await listAll(s3, { ...pages, Prefix: 'a' }), ['a/']);
    assert.deepEqual(await listAll(s3, { ...pages, Prefix: 'none' }), []);
  }
});

test('the key behind a prefix is above all that start with it and above nothing else', () => {
  const character = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    fc.constantFrom('\ud7ff', '\ue000', '\u{10ffff}'),
  );
  const text = fc.array(character, { maxLength: 4 }).map((all) => all.join(''));
  fc.assert(
    fc.property(text, text, (prefix, key) => {
      const behind = keyBehind(prefix);
      if (behind === undefined) {
        assert.ok(Array.from(prefix).every((point) => point === '\u{10ffff}'));
      } else if (key.startsWith(prefix)) {
        assert.ok(byBytes(key, behind) < 0);
      } else {
        assert.equal(byBytes(key, behind) < 0, byBytes(key, prefix) < 0);
      }
    }),
  );
});

test('versions are listed newest first, and the markers go on exactly behind the last one', async (t) => {
  const { s3, Bucket } = await startWithBucket(t, { versioned: true });
  await putAll(s3, Bucket, ['a', 'a', 'a', 'dir/x', 'dir/y', 'z']);
  await s3.send(new DeleteObjectCommand({ Bucket, Key: 'a' }));
  for (const MaxKeys of [1, 2, 1000]) {
    const found: string[] = [];
    let markers = {};
    for (let more = true; more;) {
      const input = { Bucket, MaxKeys, Delimiter: '/', ...markers };
      const page = await s3.send(new ListObjectVersionsCommand(input));
      found.push(...(page.DeleteMarkers ?? []).map(({ Key }) => `marker ${Key}`));
      found.push(...(page.Versions ?? []).map(({ Key, IsLatest }) => `${Key} ${IsLatest}`));
      found.push(...(page.CommonPrefixes ?? []).map(({ Prefix }) => `prefix ${Prefix}`));
      markers = { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker };
      more = page.IsTruncated ?? false;
    }
    assert.deepEqual(found.sort(), [
      'a false',
      'a false',
      'a false',
      'marker a',
      'prefix dir/',
      'z true',
    ]);
  }
});

test('buckets are made, found, listed and deleted once empty', async (t) => {
  const { client } = await startS3(t);
  const s3 = client();
  const LocationConstraint = region;
  const make = (Bucket: string, CreateBucketConfiguration: object = { LocationConstraint }) =>
    s3.send(new CreateBucketCommand({ Bucket, CreateBucketConfiguration }));
  await make('pail-one');
  await make('pail.two');
  await assert.rejects(make('pail-one'), refusal('BucketAlreadyOwnedByYou', 409));
  for (const name of ['ab', 'Upper', 'a..b', '1.2.3.4', 'x'.repeat(64), '-a-']) {
    await assert.rejects(make(name), refusal('InvalidBucketName', 400));
  }
  const elsewhere = make('pail-three', { LocationConstraint: 'us-west-2' });
  await assert.rejects(elsewhere, refusal('IllegalLocationConstraintException', 400));
  const { Buckets } = await s3.send(new ListBucketsCommand({}));
  assert.deepEqual(
    Buckets?.map(({ Name }) => Name),
    ['pail-one', 'pail.two'],
  );
  const Bucket = 'pail-one';
  const head = await s3.send(new HeadBucketCommand({ Bucket }));
  assert.equal(head.BucketRegion, region);
  const location = await s3.send(new GetBucketLocationCommand({ Bucket }));
  assert.equal(location.LocationConstraint, region);
  const versioning = await s3.send(new GetBucketVersioningCommand({ Bucket }));
  assert.equal(versioning.Status, undefined);
  await putAll(s3, Bucket, ['k']);
  await assert.rejects(
    s3.send(new DeleteBucketCommand({ Bucket })),
    refusal('BucketNotEmpty', 409),
  );
  await s3.send(new DeleteObjectCommand({ Bucket, Key: 'k' }));
  await s3.send(new DeleteBucketCommand({ Bucket }));
  await assert.rejects(s3.send(new HeadBucketCommand({ Bucket })), refusal('NotFound', 404));
});

test('lifecycle rules are kept and given back', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  const get = () => s3.send(new GetBucketLifecycleConfigurationCommand({ Bucket }));
  await assert.rejects(get(), refusal('NoSuchLifecycleConfiguration', 404));
  const rule = {
    ID: 'clear up',
    Status: 'Enabled',
    Filter: { Prefix: 'payloads/' },
    AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
  } as const;
  await s3.send(
    new PutBucketLifecycleConfigurationCommand({
      Bucket,
      LifecycleConfiguration: { Rules: [rule] },
    }),
  );
  assert.deepEqual((await get()).Rules, [rule]);
  await s3.send(new DeleteBucketLifecycleCommand({ Bucket }));
  await assert.rejects(get(), refusal('NoSuchLifecycleConfiguration', 404));
});
