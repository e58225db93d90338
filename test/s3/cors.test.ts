import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CreateBucketCommand,
  DeleteBucketCorsCommand,
  GetBucketCorsCommand,
  PutBucketCorsCommand,
} from '@aws-sdk/client-s3';
import { startS3 } from './start-s3.ts';

const page = 'http://127.0.0.1:3000';
const rule = {
  AllowedOrigins: [page, 'https://*.example.com'],
  AllowedMethods: ['PUT'],
  AllowedHeaders: ['content-type', 'x-amz-*'],
  ExposeHeaders: ['etag'],
  MaxAgeSeconds: 600,
};

const preflight = async (endpoint: string, headers: Record<string, string>) =>
  await fetch(`${endpoint}/bucket/key`, { method: 'OPTIONS', headers });

test('a page of another origin may do what a rule of the bucket allows, and nothing else', async (t) => {
  const s3 = await startS3(t);
  const client = s3.client();
  await client.send(new CreateBucketCommand({ Bucket: 'bucket' }));
  const wish = {
    origin: page,
    'access-control-request-method': 'PUT',
    'access-control-request-headers': 'Content-Type,x-amz-checksum-sha256',
  };
  assert.equal((await preflight(s3.endpoint, wish)).status, 403);
  const CORSConfiguration = { CORSRules: [rule] };
  await client.send(new PutBucketCorsCommand({ Bucket: 'bucket', CORSConfiguration }));

  const allowed = await preflight(s3.endpoint, wish);
  assert.equal(allowed.status, 200);
  assert.equal(allowed.headers.get('access-control-allow-origin'), page);
  assert.equal(allowed.headers.get('access-control-allow-methods'), 'PUT');
  assert.equal(
    allowed.headers.get('access-control-allow-headers'),
    'content-type, x-amz-checksum-sha256',
  );
  assert.equal(allowed.headers.get('access-control-max-age'), '600');
  for (const other of [
    { ...wish, origin: 'http://127.0.0.1:3001' },
    { ...wish, origin: 'https://example.com' },
    { ...wish, 'access-control-request-method': 'DELETE' },
    { ...wish, 'access-control-request-headers': 'authorization' },
  ]) {
    const { status, headers } = await preflight(s3.endpoint, other);
    assert.equal(status, 403, JSON.stringify(other));
    assert.equal(headers.get('access-control-allow-origin'), null);
  }
  const wild = await preflight(s3.endpoint, { ...wish, origin: 'https://ops.example.com' });
  assert.equal(wild.status, 200);

  // The call itself: refused for want of a signature, in a way that the page can read.
  const refused = await fetch(`${s3.endpoint}/bucket/key`, {
    method: 'PUT',
    headers: { origin: page },
    body: 'x',
  });
  assert.equal(refused.status, 403);
  assert.equal(refused.headers.get('access-control-allow-origin'), page);
  assert.equal(refused.headers.get('access-control-expose-headers'), 'etag');
});

test('the rules are given back as they were put, and are gone when they were deleted', async (t) => {
  const s3 = await startS3(t);
  const client = s3.client();
  await client.send(new CreateBucketCommand({ Bucket: 'bucket' }));
  const none = { name: 'NoSuchCORSConfiguration' };
  const get = () => client.send(new GetBucketCorsCommand({ Bucket: 'bucket' }));
  await assert.rejects(get(), none);
  const CORSConfiguration = { CORSRules: [rule] };
  await client.send(new PutBucketCorsCommand({ Bucket: 'bucket', CORSConfiguration }));
  assert.deepEqual((await get()).CORSRules, [rule]);
  const wrong = { CORSRules: [{ ...rule, AllowedMethods: ['PATCH'] }] };
  await assert.rejects(
    client.send(new PutBucketCorsCommand({ Bucket: 'bucket', CORSConfiguration: wrong })),
    { name: 'InvalidRequest' },
  );
  await client.send(new DeleteBucketCorsCommand({ Bucket: 'bucket' }));
  await assert.rejects(get(), none);
});
