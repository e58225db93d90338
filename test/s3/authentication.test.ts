import { GetObjectCommand, ListBucketsCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusal, startS3, startWithBucket } from './start-s3.ts';
import { credentials } from './test-account.ts';

test('a wrong secret, an unknown key, a foreign region and no signature at all are refused', async (t) => {
  const { client, endpoint } = await startS3(t);
  const list = (config: Parameters<typeof client>[0]) =>
    client(config).send(new ListBucketsCommand({}));
  await list({});
  await assert.rejects(
    list({ credentials: { ...credentials, secretAccessKey: 'wrong' } }),
    refusal('SignatureDoesNotMatch', 403),
  );
  await assert.rejects(
    list({ credentials: { ...credentials, accessKeyId: 'AKIANOBODY' } }),
    refusal('InvalidAccessKeyId', 403),
  );
  await assert.rejects(
    list({ credentials: { ...credentials, sessionToken: 'x' } }),
    refusal('InvalidToken', 400),
  );
  await assert.rejects(list({ region: 'us-west-2' }), refusal('AuthorizationHeaderMalformed', 400));
  const anonymous = await fetch(endpoint);
  assert.equal(anonymous.status, 403);
  assert.match(await anonymous.text(), /<Code>AccessDenied<\/Code>/);
});

test('a clock that is more than 15 minutes off is RequestTimeTooSkewed, and the SDK corrects itself by the Date header', async (t) => {
  const { client, advance } = await startS3(t);
  advance(14 * 60);
  await client().send(new ListBucketsCommand({}));
  advance(2 * 60);
  const once = client().send(new ListBucketsCommand({}));
  await assert.rejects(once, refusal('RequestTimeTooSkewed', 403));
  await client({ maxAttempts: 3 }).send(new ListBucketsCommand({}));
});

test('a body that is not the one signed is XAmzContentSHA256Mismatch and is not stored', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  const put = new PutObjectCommand({ Bucket, Key: 'k', Body: 'signed' });
  put.middlewareStack.add(
    (next) => (args) => {
      Object.assign(args.request as object, { body: 'forged' });
      return next(args);
    },
    { step: 'finalizeRequest', priority: 'low' },
  );
  await assert.rejects(s3.send(put), refusal('XAmzContentSHA256Mismatch', 400));
  const get = s3.send(new GetObjectCommand({ Bucket, Key: 'k' }));
  await assert.rejects(get, refusal('NoSuchKey', 404));
});

test('an answer carries request ids, and an error names its resource', async (t) => {
  const { s3, Bucket } = await startWithBucket(t);
  const failed = s3.send(new GetObjectCommand({ Bucket, Key: 'a b' }));
  await assert.rejects(failed, (error: unknown) => {
    assert.ok(error instanceof Error && '$metadata' in error);
    const metadata = error.$metadata as Record<string, unknown>;
    assert.match(String(metadata['requestId']), /^[0-9A-F]{16}$/);
    assert.ok(String(metadata['extendedRequestId']).length > 20);
    assert.equal('Key' in error && error.Key, 'a b');
    return true;
  });
});
