import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { after, test } from 'node:test';
import { CreateBucketCommand, HeadObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { createPawlClient } from '../../client/pawl-client.ts';
import { startCloud } from '../support/start-cloud.ts';
import { call } from './call.ts';
import { startApi } from './start-api.ts';

const cloud = await startCloud();
after(() => cloud.stop());
const s3 = new S3Client({
  endpoint: cloud.s3Endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});
const bucket = 'pawl-payloads';
await s3.send(new CreateBucketCommand({ Bucket: bucket }));
const api = await startApi({ s3 });
const key = await api.keyFor('acme');

const bytes = Buffer.from('hello');
const sha256 = createHash('sha256').update(bytes).digest('hex');

type Upload = { readonly uploadUrl: string; readonly headers: Readonly<Record<string, string>> };

async function askForUpload(): Promise<Upload> {
  const json = { sha256, size: bytes.length, contentType: 'text/plain' };
  const answer = await call('POST', `${api.url}/uploads`, { key, json });
  assert.equal(answer.status, 201, answer.text);
  return answer.body as unknown as Upload;
}

function put(
  upload: Upload,
  body: Buffer,
  headers = upload.headers,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(upload.uploadUrl, {
      method: 'PUT',
      headers: { ...headers, 'content-length': body.length },
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.end(body);
  });
}

test('S3 refuses other bytes than the ones that were promised', async () => {
  const answer = await put(await askForUpload(), Buffer.from('jello'));
  assert.equal(answer.status, 400, answer.text);
  assert.match(answer.text, /BadDigest/);
});

test('S3 refuses a PUT without the checksum, with another one, or of another length', async () => {
  const upload = await askForUpload();
  const { 'x-amz-checksum-sha256': _, ...without } = upload.headers;
  assert.equal((await put(upload, bytes, without)).status, 403);
  const other = {
    ...upload.headers,
    'x-amz-checksum-sha256': createHash('sha256').digest('base64'),
  };
  assert.equal((await put(upload, bytes, other)).status, 403);
  assert.equal((await put(upload, Buffer.from('hello!'))).status, 403);
});

test('the promised bytes are taken, and are where the reference says', async () => {
  const answer = await put(await askForUpload(), bytes);
  assert.equal(answer.status, 200, answer.text);
  const Key = `payloads/acme/${sha256}`;
  const head = await s3.send(
    new HeadObjectCommand({ Bucket: bucket, Key, ChecksumMode: 'ENABLED' }),
  );
  assert.equal(head.ContentLength, bytes.length);
  assert.equal(head.ContentType, 'text/plain');
});

test('three calls are the whole way of a client: upload, submit, poll', async () => {
  const pawl = createPawlClient({ url: api.url, key });
  const payloadRef = await pawl.upload(new Uint8Array([1, 2, 3]), 'application/octet-stream');
  const { jobId } = await pawl.submit({ type: 'echo', payloadRef });
  assert.equal((await pawl.get(jobId)).status, 'PENDING');
});
