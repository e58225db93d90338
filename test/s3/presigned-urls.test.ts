import { GetObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { startWithBucket } from './start-s3.ts';

const body = 'the promised bytes';
const sha256 = createHash('sha256').update(body).digest('base64');
const checksumHeader = 'x-amz-checksum-sha256';
const unhoistableHeaders = new Set([checksumHeader]);

async function put(url: string, content: string, headers: Record<string, string> = {}) {
  return outcome(await fetch(url, { method: 'PUT', body: content, headers }));
}

async function outcome(response: Response): Promise<string> {
  const text = await response.text();
  return `${response.status} ${/<Code>(.*?)<\/Code>/.exec(text)?.[1] ?? text}`.trim();
}

test('a presigned PUT with the checksum as a signed header takes the right body and no other', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  const object = { Bucket, Key: 'payloads/t/1' };
  const command = new PutObjectCommand({ ...object, ChecksumSHA256: sha256 });
  const url = await getSignedUrl(s3, command, { unhoistableHeaders });
  const signed = { [checksumHeader]: sha256 };
  assert.equal(await put(url, 'other bytes', signed), '400 BadDigest');
  assert.equal(await put(url, body), '403 SignatureDoesNotMatch', 'without the header');
  const otherHash = createHash('sha256').update('other bytes').digest('base64');
  assert.equal(
    await put(url, 'other bytes', { [checksumHeader]: otherHash }),
    '403 SignatureDoesNotMatch',
    'with another header',
  );
  const head = new HeadObjectCommand({ ...object, ChecksumMode: 'ENABLED' });
  await assert.rejects(s3.send(head), 'nothing of this was stored');
  assert.equal(await put(url, body, signed), '200');
  assert.equal((await s3.send(head)).ChecksumSHA256, sha256);
});

test('a checksum that was hoisted into the query is ignored, as S3 does, and cannot be sent as a header', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  const command = new PutObjectCommand({ Bucket, Key: 'k', ChecksumSHA256: sha256 });
  const url = await getSignedUrl(s3, command);
  assert.match(url, /x-amz-checksum-sha256=/);
  assert.equal(await put(url, 'any other bytes'), '200');
  assert.equal(await put(url, body, { [checksumHeader]: sha256 }), '403 AccessDenied');
});

test('a presigned PUT may carry a condition, its length and metadata', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  const command = new PutObjectCommand({
    Bucket,
    Key: 'k',
    IfNoneMatch: '*',
    ContentLength: body.length,
    Metadata: { job: '7' },
  });
  const url = await getSignedUrl(s3, command);
  const condition = { 'if-none-match': '*' };
  assert.equal(await put(url, `${body}, and more`, condition), '403 SignatureDoesNotMatch');
  assert.equal(await put(url, body, condition), '200');
  assert.equal(await put(url, body, condition), '412 PreconditionFailed');
  const head = await s3.send(new HeadObjectCommand({ Bucket, Key: 'k' }));
  assert.deepEqual(head.Metadata, { job: '7' });
});

test('a presigned URL is good until it expires, and not before it was signed', async (t) => {
  const { s3, Bucket, advance } = await startWithBucket(t);
  const command = new PutObjectCommand({ Bucket, Key: 'k' });
  const url = await getSignedUrl(s3, command, { expiresIn: 60 });
  assert.equal(await put(url, body), '200');
  advance(55);
  assert.equal(await put(url, body), '200');
  advance(10);
  const response = await fetch(url, { method: 'PUT', body });
  const text = await response.text();
  assert.equal(response.status, 403);
  assert.match(text, /<Code>AccessDenied<\/Code><Message>Request has expired<\/Message>/);
  advance(-3600);
  assert.equal(await put(url, body), '403 AccessDenied');
});

test('a presigned GET gives the object, with the response headers it names', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  await s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body: body }));
  const command = new GetObjectCommand({
    Bucket,
    Key: 'k',
    ResponseContentType: 'text/plain',
    ResponseContentDisposition: 'attachment; filename="result.txt"',
  });
  const url = await getSignedUrl(s3, command);
  const response = await fetch(url);
  assert.equal(await response.text(), body);
  assert.equal(response.headers.get('content-type'), 'text/plain');
  assert.equal(response.headers.get('content-disposition'), 'attachment; filename="result.txt"');
  const range = await fetch(url, { headers: { range: 'bytes=0-2' } });
  assert.deepEqual([range.status, await range.text()], [206, 'the']);
});

test('no part of a presigned URL can be changed', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  await s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body: body }));
  await s3.send(new PutObjectCommand({ Bucket, Key: 'secret', Body: body }));
  const url = await getSignedUrl(s3, new GetObjectCommand({ Bucket, Key: 'k' }));
  const get = async (changed: string) => outcome(await fetch(changed));
  assert.equal(await get(url), `200 ${body}`);
  assert.equal(await get(url.replace('/k?', '/secret?')), '403 SignatureDoesNotMatch');
  assert.equal(await get(url.replace('Expires=900', 'Expires=9000')), '403 SignatureDoesNotMatch');
  assert.equal(await get(`${url}&versionId=null`), '403 SignatureDoesNotMatch');
  assert.equal(await put(url, 'x'), '403 SignatureDoesNotMatch');
  const tooLong = url.replace('Expires=900', 'Expires=604801');
  assert.equal(await get(tooLong), '400 AuthorizationQueryParametersError');
  assert.equal(
    await get(url.replace(/&X-Amz-Signature=[^&]*/, '')),
    '400 AuthorizationQueryParametersError',
  );
});
