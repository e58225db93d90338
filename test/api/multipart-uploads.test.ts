import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  AbortMultipartUploadCommand,
  CreateBucketCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  PutBucketVersioningCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { presigningSettings } from '../../api/multipart-upload.ts';
import { sendParts } from '../../client/pawl-client.ts';
import { createS3Server } from '../../local/s3/server.ts';
import { bucket } from './app-deps.ts';
import { call } from './call.ts';
import { startApi } from './start-api.ts';

const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
const region = 'us-east-1';
let offsetMs = 0;
const dataDir = await mkdtemp(join(tmpdir(), 'pawl-multipart-'));
const server = createS3Server({
  dataDir,
  region,
  credentials: [credentials],
  clock: { now: () => Date.now() + offsetMs },
  log: { info: () => undefined, error: (fields) => console.error(fields) },
});
const { port } = await server.listen('127.0.0.1', 0);
const s3 = new S3Client({
  endpoint: `http://127.0.0.1:${port}`,
  forcePathStyle: true,
  region,
  credentials,
  ...presigningSettings,
});
after(async () => {
  s3.destroy();
  await server.close({ graceMs: 100 });
  await rm(dataDir, { recursive: true });
});
await s3.send(new CreateBucketCommand({ Bucket: bucket }));
await s3.send(
  new PutBucketVersioningCommand({
    Bucket: bucket,
    VersioningConfiguration: { Status: 'Enabled' },
  }),
);
const api = await startApi({ s3 });
const key = await api.keyFor('acme');

const partSize = 5 * 1024 ** 2;
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

type Upload = {
  readonly parts: readonly {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly size: number;
  }[];
  readonly completeUrl: string;
  readonly payloadRef: Readonly<Record<string, unknown>>;
  readonly expiresAt: string;
};

/** Bytes of their own each time, and where their three parts go. */
async function askForParts(): Promise<{ bytes: Buffer<ArrayBuffer>; upload: Upload }> {
  const bytes = randomBytes(2 * partSize + 1000);
  const slices = [0, 1, 2].map((index) => bytes.subarray(index * partSize, (index + 1) * partSize));
  const json = {
    sha256: sha256(bytes),
    size: bytes.length,
    contentType: 'text/plain',
    partSize,
    partSha256: slices.map(sha256),
  };
  const answer = await call('POST', `${api.url}/uploads`, { key, json });
  assert.equal(answer.status, 201, answer.text);
  return { bytes, upload: answer.body as unknown as Upload };
}

const put = async (part: Upload['parts'][number] | undefined, body: Uint8Array<ArrayBuffer>) => {
  const response = await fetch(part?.url ?? '', {
    method: 'PUT',
    headers: part?.headers ?? {},
    body,
  });
  return { status: response.status, text: await response.text() };
};
const sendAll = (upload: Upload, bytes: Buffer<ArrayBuffer>) =>
  sendParts({ fetch }, upload.parts, new Blob([bytes]));
const complete = (upload: Upload, as = key) => call('POST', upload.completeUrl, { key: as });

test('above 100 MB there is an address for each part, with its size, and no checksum that S3 would not see', async () => {
  const size = 100_000_001;
  const json = { sha256: sha256(randomBytes(8)), size, contentType: 'text/csv' };
  const answer = await call('POST', `${api.url}/uploads`, { key, json });
  assert.equal(answer.status, 201, answer.text);
  const { parts, completeUrl, payloadRef, expiresAt } = answer.body as unknown as Upload;
  assert.equal(
    parts.reduce((sum, part) => sum + part.size, 0),
    size,
  );
  assert.ok(parts.slice(0, -1).every((part) => part.size === parts[0]?.size));
  for (const part of parts) {
    const query = new URL(part.url).searchParams;
    assert.equal(query.get('X-Amz-SignedHeaders'), 'content-length;host');
    for (const name of query.keys()) assert.doesNotMatch(name, /checksum/i);
    assert.deepEqual(part.headers, {});
  }
  assert.ok(completeUrl.startsWith(`${api.url}/uploads/${json.sha256}/complete?`));
  assert.equal(payloadRef['key'], `payloads/acme/${json.sha256}`);
  assert.ok(Date.parse(expiresAt) > Date.now() + 3_600_000);
  const behindTls = await call('POST', `${api.url}/uploads`, {
    key,
    json,
    headers: { 'x-forwarded-proto': 'https' },
  });
  assert.match(String(behindTls.body['completeUrl']), /^https:\/\/127\.0\.0\.1:/);
  const single = await call('POST', `${api.url}/uploads`, { key, json: { ...json, size: 1e8 } });
  assert.ok('uploadUrl' in single.body, '100 MB are one PUT');
});

test('the parts become one payload, whose reference names its version; completing it twice is completing it once', async () => {
  const { bytes, upload } = await askForParts();
  await sendAll(upload, bytes);
  const first = await complete(upload);
  assert.equal(first.status, 200, first.text);
  const ref = first.body['payloadRef'] as Record<string, string>;
  assert.match(ref['versionId'] ?? '', /./);
  assert.deepEqual(
    { ...ref, versionId: undefined },
    { ...upload.payloadRef, versionId: undefined },
  );
  const got = await s3.send(
    new GetObjectCommand({ Bucket: bucket, Key: ref['key'], VersionId: ref['versionId'] }),
  );
  assert.equal(sha256((await got.Body?.transformToByteArray()) ?? new Uint8Array()), ref['sha256']);
  assert.equal(got.ContentType, 'text/plain');
  const again = await complete(upload);
  assert.equal(again.status, 200, again.text);
  assert.deepEqual(again.body['payloadRef'], ref);
});

test('S3 refuses a part with other bytes, of another length, or without its checksum', async () => {
  const { bytes, upload } = await askForParts();
  const [part] = upload.parts;
  const flipped = Buffer.from(bytes.subarray(0, partSize));
  flipped.writeUInt8(flipped.readUInt8(77) ^ 1, 77);
  const wrong = await put(part, flipped);
  assert.equal(wrong.status, 400);
  assert.match(wrong.text, /BadDigest/);
  assert.equal((await put(part, Buffer.from(bytes.subarray(0, partSize - 1)))).status, 403);
  assert.equal(
    (await put(part === undefined ? part : { ...part, headers: {} }, flipped)).status,
    403,
  );
});

test('an upload of which parts are missing is refused with their numbers, and can still be made whole', async () => {
  const { bytes, upload } = await askForParts();
  const [, second] = upload.parts;
  await put(second, Buffer.from(bytes.subarray(partSize, 2 * partSize)));
  const answer = await complete(upload);
  assert.equal(answer.status, 409, answer.text);
  assert.equal(answer.body.code, 'upload-incomplete');
  assert.deepEqual(answer.body['missingParts'], [1, 3]);
  await sendAll(upload, bytes);
  assert.equal((await complete(upload)).status, 200);
});

test('another tenant cannot complete an upload, and does not learn that there is one', async () => {
  const { bytes, upload } = await askForParts();
  await sendAll(upload, bytes);
  const answer = await complete(upload, await api.keyFor('beta'));
  assert.equal(answer.status, 404, answer.text);
  assert.equal(answer.body.code, 'upload-not-found');
  const unknown = {
    ...upload,
    completeUrl: upload.completeUrl.replace(/uploadId=[^&]+/, 'uploadId=x'),
  };
  const { requestId: _, ...none } = (await complete(unknown, await api.keyFor('beta'))).body;
  const { requestId: __, ...other } = answer.body;
  assert.deepEqual(other, none);
  assert.equal((await complete(upload, await api.keyFor(null))).status, 403);
  assert.equal((await complete(upload, await api.keyFor('acme', ['jobs:read']))).status, 403);
  assert.equal((await complete(upload)).status, 200);
});

test('after its time no part is taken, and an upload that S3 has given up is not found', async () => {
  const { bytes, upload } = await askForParts();
  offsetMs = 6 * 3_600_000 + 60_000;
  const late = await put(upload.parts[0], Buffer.from(bytes.subarray(0, partSize)));
  offsetMs = 0;
  assert.equal(late.status, 403);
  assert.match(late.text, /expired/);
  const UploadId = new URL(upload.completeUrl).searchParams.get('uploadId') ?? '';
  const target = { Bucket: bucket, Key: String(upload.payloadRef['key']), UploadId };
  await s3.send(new AbortMultipartUploadCommand(target));
  const answer = await complete(upload);
  assert.equal(answer.status, 404);
  assert.equal(answer.body.code, 'upload-not-found');
});

test('a completeUrl whose size was changed is refused', async () => {
  const { bytes, upload } = await askForParts();
  await sendAll(upload, bytes);
  const changed = upload.completeUrl.replace(/size=\d+/, 'size=12');
  const answer = await call('POST', changed, { key });
  assert.equal(answer.status, 409, answer.text);
});

test('parts that do not make up the payload are refused before anything is started', async () => {
  const before = await s3.send(new ListMultipartUploadsCommand({ Bucket: bucket }));
  const hash = sha256(randomBytes(4));
  const json = { sha256: hash, size: partSize + 1, contentType: 'text/plain' };
  for (const [pointer, wrong] of [
    ['/partSha256', { partSize, partSha256: [hash] }],
    ['/partSha256', { partSize, partSha256: [hash, hash, hash] }],
    ['/partSha256', { partSize }],
    ['/partSize', { partSha256: [hash, hash] }],
    ['/partSize', { partSize: partSize - 1, partSha256: [hash, hash] }],
  ] as const) {
    const answer = await call('POST', `${api.url}/uploads`, { key, json: { ...json, ...wrong } });
    assert.equal(answer.status, 400, pointer);
    assert.deepEqual(
      answer.body.errors.map((error) => error.pointer),
      [pointer],
    );
  }
  const since = await s3.send(new ListMultipartUploadsCommand({ Bucket: bucket }));
  assert.equal(since.Uploads?.length, before.Uploads?.length);
});

test('a part that fails is sent again alone, at most four are under way, and progress is told', async () => {
  const bytes = new Blob([randomBytes(8 * 1000)]);
  const parts = Array.from({ length: 8 }, (_, index) => ({
    url: `http://s3/${index}`,
    headers: {},
    size: 1000,
  }));
  const tries: string[] = [];
  let underWay = 0;
  let most = 0;
  const flaky: typeof fetch = async (address) => {
    const name = new URL(address instanceof Request ? address.url : address).pathname;
    tries.push(name);
    underWay += 1;
    most = Math.max(most, underWay);
    await new Promise((resolve) => setImmediate(resolve));
    underWay -= 1;
    const earlier = tries.filter((other) => other === name).length;
    if (name === '/2' && earlier === 1) throw new TypeError('the connection broke');
    return new Response('', { status: name === '/5' && earlier === 1 ? 503 : 200 });
  };
  const sent: number[] = [];
  await sendParts({ fetch: flaky }, parts, bytes, (sentBytes) => sent.push(sentBytes));
  assert.equal(tries.length, 10);
  assert.equal(most, 4);
  assert.deepEqual(sent, [1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000]);
});

test('a part that S3 will not take ends the upload', async () => {
  const parts = Array.from({ length: 3 }, () => ({ url: 'http://s3/', headers: {}, size: 1 }));
  let tries = 0;
  const refusing: typeof fetch = async () => {
    tries += 1;
    return new Response('<Code>BadDigest</Code>', { status: 400 });
  };
  await assert.rejects(sendParts({ fetch: refusing }, parts, new Blob(['abc'])), {
    name: 'UploadRefused',
    message: /BadDigest/,
  });
  assert.ok(tries <= 3);
});
