import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectsCommand,
  GetObjectAclCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListObjectsCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketPolicyCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import * as fc from 'fast-check';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import { S3Error } from '../../local/s3/s3-error.ts';
import { readXml } from '../../local/s3/xml/read-xml.ts';
import { element, textElement, xmlDocument } from '../../local/s3/xml/write-xml.ts';
import { refusal, startWithBucket } from './start-s3.ts';
import { waitFor } from './wait-for.ts';

async function outcome(response: Response): Promise<string> {
  const text = await response.text();
  return `${response.status} ${/<Code>(.*?)<\/Code>/.exec(text)?.[1] ?? ''}`.trim();
}

async function answerTo(request: http.ClientRequest): Promise<string> {
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  let text = '';
  for await (const piece of response) text += String(piece);
  return `${response.statusCode} ${/<Code>(.*?)<\/Code>/.exec(text)?.[1] ?? ''}`.trim();
}

test('XML that is broken, too deep, too big or has a DOCTYPE is refused', async (t) => {
  const { s3, Bucket, errors } = await startWithBucket(t);
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key: 'k' }));
  const complete = new CompleteMultipartUploadCommand({ Bucket, Key: 'k', UploadId });
  const url = await getSignedUrl(s3, complete);
  const post = async (body: string) => outcome(await fetch(url, { method: 'POST', body }));
  const part = '<Part><PartNumber>1</PartNumber><ETag>x</ETag></Part>';
  const bodies = [
    '',
    'not xml',
    '<CompleteMultipartUpload>',
    `<Wrong>${part}</Wrong>`,
    `<CompleteMultipartUpload>${part}</CompleteMultipartUpload><again/>`,
    `<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><CompleteMultipartUpload>${part}</CompleteMultipartUpload>`,
    `<CompleteMultipartUpload>${'<a>'.repeat(50)}${'</a>'.repeat(50)}</CompleteMultipartUpload>`,
    '<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>&x;</ETag></Part></CompleteMultipartUpload>',
  ];
  for (const body of bodies) assert.equal(await post(body), '400 MalformedXML', body);
  assert.equal(await post('x'.repeat(5 * 1024 * 1024)), '400 MaxMessageLengthExceeded');
  const chunked = { 'transfer-encoding': 'chunked' };
  const endless = http.request(url, { method: 'POST', headers: chunked });
  endless.end('x'.repeat(20 * 1024 * 1024));
  assert.equal(await answerTo(endless), '400 MaxMessageLengthExceeded');
  const valid = `<CompleteMultipartUpload>${part}</CompleteMultipartUpload>`;
  assert.equal(await post(valid), '400 InvalidPart');
  assert.deepEqual(errors, []);
});

test('reading XML gives back what was written, and fails on noise with MalformedXML only', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 40 });
  fc.assert(
    fc.property(fc.array(text, { maxLength: 5 }), (values) => {
      const items = values
        .map((value) => textElement('Item', value))
        .filter((item) => item !== undefined);
      const read = readXml(xmlDocument(element('Root', items)));
      assert.deepEqual(
        read.children.map((child) => child.text),
        values,
      );
    }),
  );
  const noise = fc.array(
    fc.constantFrom('<', '>', '/', '&', ';', 'a', ' ', '<a>', '</a>', '<?', '<!--', '-->', '"'),
  );
  fc.assert(
    fc.property(noise, (pieces) => {
      try {
        readXml(pieces.join(''));
      } catch (error) {
        assert.ok(error instanceof S3Error && error.code === 'MalformedXML');
      }
    }),
  );
});

test('a client that goes away in the middle of its body leaves nothing behind', async (t) => {
  const { s3, Bucket, dataDir, errors } = await startWithBucket(t);
  const url = await getSignedUrl(s3, new PutObjectCommand({ Bucket, Key: 'k' }));
  const request = http.request(url, { method: 'PUT', headers: { 'content-length': 1_000_000 } });
  request.on('error', () => undefined);
  request.write(Buffer.alloc(500_000));
  const incoming = path.join(dataDir, 'incoming');
  await waitFor(async () => (await readdir(incoming)).length === 1, 5000);
  request.destroy();
  await waitFor(async () => (await readdir(incoming)).length === 0, 5000);
  const get = s3.send(new GetObjectCommand({ Bucket, Key: 'k' }));
  await assert.rejects(get, refusal('NoSuchKey', 404));
  assert.deepEqual(errors, [], 'a client that goes away is no error of the server');
});

test('a body without a length is MissingContentLength, one above 5 GiB EntityTooLarge before it is read', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  const url = await getSignedUrl(s3, new PutObjectCommand({ Bucket, Key: 'k' }));
  const chunked = http.request(url, { method: 'PUT', headers: { 'transfer-encoding': 'chunked' } });
  chunked.end('body');
  assert.equal(await answerTo(chunked), '411 MissingContentLength');
  const headers = { 'content-length': 5 * 1024 ** 3 + 1, expect: '100-continue' };
  const huge = http.request(url, { method: 'PUT', headers });
  huge.flushHeaders();
  assert.equal(await answerTo(huge), '400 EntityTooLarge');
  huge.destroy();
});

test('a client that waits for 100 Continue is told no before it sends the body, or to go on', async (t) => {
  const { s3, Bucket, advance } = await startWithBucket(t);
  const url = await getSignedUrl(s3, new PutObjectCommand({ Bucket, Key: 'k' }), { expiresIn: 60 });
  const ask = () => {
    const headers = { 'content-length': 4, expect: '100-continue' };
    const request = http.request(url, { method: 'PUT', headers });
    let isContinued = false;
    request.on('continue', () => {
      isContinued = true;
      request.end('body');
    });
    request.flushHeaders();
    return answerTo(request).then((answer) => [answer, isContinued]);
  };
  assert.deepEqual(await ask(), ['200', true]);
  advance(120);
  assert.deepEqual(await ask(), ['403 AccessDenied', false]);
});

test('a path that is no UTF-8 or holds NUL is InvalidURI', async (t) => {
  const { endpoint, errors } = await startWithBucket(t);
  for (const bad of ['/pail/%ff', '/pail/%00', '/pail/%', '/pail/k?x=%ff']) {
    assert.equal(await outcome(await fetch(endpoint + bad)), '400 InvalidURI', bad);
  }
  assert.deepEqual(errors, []);
});

test('actions that are not there are NotImplemented and do nothing else', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  await s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x' }));
  const notThere = refusal('NotImplemented', 501);
  await assert.rejects(s3.send(new ListObjectsCommand({ Bucket })), notThere);
  await assert.rejects(s3.send(new GetObjectAclCommand({ Bucket, Key: 'k' })), notThere);
  await assert.rejects(s3.send(new PutBucketPolicyCommand({ Bucket, Policy: '{}' })), notThere);
  await s3.send(new HeadBucketCommand({ Bucket }));
});

test('DeleteObjects without a digest, and lifecycle rules with a wrong one, are refused', async (t) => {
  const { client, Bucket } = await startWithBucket(t);
  const s3 = client();
  const added: Record<string, string> = {};
  s3.middlewareStack.add(
    (next) => (args) => {
      const { headers } = args.request as { headers: Record<string, string> };
      for (const name of Object.keys(headers)) {
        if (/checksum|md5/.test(name)) delete headers[name];
      }
      Object.assign(headers, added);
      return next(args);
    },
    { step: 'build', priority: 'low' },
  );
  const Delete = { Objects: [{ Key: 'k' }] };
  const remove = () => s3.send(new DeleteObjectsCommand({ Bucket, Delete }));
  await assert.rejects(remove(), refusal('InvalidRequest', 400));
  added['content-md5'] = 'AAAAAAAAAAAAAAAAAAAAAA==';
  await assert.rejects(remove(), refusal('BadDigest', 400));
  const LifecycleConfiguration = { Rules: [{ Status: 'Enabled' as const, Filter: {} }] };
  const rules = new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration });
  await assert.rejects(s3.send(rules), refusal('BadDigest', 400));
});

test('headers above 16 KiB are refused', async (t) => {
  const { endpoint } = await startWithBucket(t);
  const response = await fetch(endpoint, { headers: { 'x-big': 'x'.repeat(20_000) } });
  assert.equal(response.status, 431);
});
