import { CreateBucketCommand, GetObjectCommand } from '@aws-sdk/client-s3';
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { createS3Server } from '../../local/s3/server.ts';
import { s3Client } from './start-s3.ts';

// The worked examples of https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html and
// sigv4-streaming-trailers.html: their key, time, 66,560 bytes of "a" and signatures.
const credentials = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};
const region = 'us-east-1';
const exampleTimeMs = Date.parse('2013-05-24T00:00:00Z');
const bytes = 'a'.repeat(66_560);

interface Example {
  mode: string;
  headers: Record<string, string>;
  signature: string;
  chunkSignatures: readonly [string, string, string];
  trailer: string;
}

const plain: Example = {
  mode: 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
  headers: { 'content-length': '66824' },
  signature: '4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9',
  chunkSignatures: [
    'ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648',
    '0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497',
    'b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9',
  ],
  trailer: '\r\n',
};

const withTrailer: Example = {
  mode: 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER',
  headers: { 'x-amz-trailer': 'x-amz-checksum-crc32c' },
  signature: '106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e',
  chunkSignatures: [
    'b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2',
    '1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7',
    '2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992',
  ],
  trailer:
    'x-amz-checksum-crc32c:sOO8/Q==\r\nx-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n\r\n',
};

function encode({ chunkSignatures, trailer }: Example): string {
  const [first, second, last] = chunkSignatures;
  return (
    `10000;chunk-signature=${first}\r\n${bytes.slice(0, 65_536)}\r\n` +
    `400;chunk-signature=${second}\r\n${bytes.slice(65_536)}\r\n` +
    `0;chunk-signature=${last}\r\n${trailer}`
  );
}

async function startExample(t: TestContext) {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 's3-test-'));
  const log = { info: () => undefined, error: () => undefined };
  const clock = { now: () => exampleTimeMs };
  const options = { dataDir, region, credentials: [credentials], clock, log };
  const server = createS3Server(options);
  const { port } = await server.listen('127.0.0.1', 0);
  const systemClockOffset = exampleTimeMs - Date.now();
  const s3 = s3Client(`http://127.0.0.1:${port}`, { region, credentials, systemClockOffset });
  t.after(async () => {
    s3.destroy();
    await server.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  await s3.send(new CreateBucketCommand({ Bucket: 'examplebucket' }));

  async function put(example: Example, body = encode(example)): Promise<string> {
    const headers: Record<string, string> = {
      ...example.headers,
      host: 's3.amazonaws.com',
      'content-encoding': 'aws-chunked',
      'x-amz-content-sha256': example.mode,
      'x-amz-date': '20130524T000000Z',
      'x-amz-decoded-content-length': '66560',
      'x-amz-storage-class': 'REDUCED_REDUNDANCY',
    };
    const signedHeaders = Object.keys(headers).sort().join(';');
    const authorization = `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/20130524/us-east-1/s3/aws4_request,SignedHeaders=${signedHeaders},Signature=${example.signature}`;
    return new Promise((resolve, reject) => {
      const request = http.request({
        port,
        host: '127.0.0.1',
        method: 'PUT',
        path: '/examplebucket/chunkObject.txt',
        headers: { ...headers, authorization },
      });
      request.on('error', reject);
      request.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (piece: string) => (text += piece));
        response.on('end', () => {
          resolve(`${response.statusCode} ${/<Code>(.*?)</.exec(text)?.[1] ?? ''}`.trim());
        });
      });
      request.end(body);
    });
  }
  return { s3, put };
}

for (const [name, example] of [
  ['signed chunks', plain],
  ['signed chunks and a signed trailer', withTrailer],
] as const) {
  test(`AWS's example of ${name} is accepted as it stands`, async (t) => {
    const { s3, put } = await startExample(t);
    assert.equal(await put(example), '200');
    const object = { Bucket: 'examplebucket', Key: 'chunkObject.txt' };
    const got = await s3.send(new GetObjectCommand({ ...object, ChecksumMode: 'ENABLED' }));
    assert.equal(await got.Body?.transformToString(), bytes);
    assert.equal(got.StorageClass, 'REDUCED_REDUNDANCY');
    assert.equal(got.ContentEncoding, undefined);
    if (example === withTrailer) assert.equal(got.ChecksumCRC32C, 'sOO8/Q==');
  });

  test(`with ${name}, a byte changed anywhere is SignatureDoesNotMatch`, async (t) => {
    const { put } = await startExample(t);
    const body = encode(example);
    for (const at of [100, 66_000, body.lastIndexOf('aaaa')]) {
      const forged = `${body.slice(0, at)}b${body.slice(at + 1)}`;
      assert.equal(await put(example, forged), '403 SignatureDoesNotMatch');
    }
    const [, second] = example.chunkSignatures;
    assert.equal(
      await put(example, body.replace(second, second.replace(/./g, '0'))),
      '403 SignatureDoesNotMatch',
    );
  });
}

test('a trailer that is changed, missing or not the one announced is refused', async (t) => {
  const { put } = await startExample(t);
  const body = encode(withTrailer);
  assert.equal(await put(withTrailer, body.replace('sOO8', 'sOO9')), '403 SignatureDoesNotMatch');
  assert.equal(
    await put(withTrailer, body.replace('x-amz-checksum-crc32c:', 'x-amz-checksum-crc32:')),
    '400 MalformedTrailerError',
  );
  assert.equal(
    await put(withTrailer, body.replace(/x-amz-trailer-signature.*\r\n/, '')),
    '403 SignatureDoesNotMatch',
  );
});
