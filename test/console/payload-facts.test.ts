import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { payloadFacts } from '../../console/job/payload-facts.ts';
import { JobError } from '../../jobs/failure.ts';
import { openPinnedPayload, validatePayload } from '../../jobs/payload.ts';
import type { PayloadReference } from '../../jobs/payload-reference.ts';
import { startWithBucket } from '../s3/start-s3.ts';

const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex');

const text = 'the bytes that are there';
const right = { length: text.length, sha256: sha256Of(text) };
const other = sha256Of('other bytes');

/** A bucket with one object, and references to it that promise something else. */
async function startReading(t: TestContext) {
  const { s3, Bucket } = await startWithBucket(t);
  const put = async (body: string): Promise<unknown> =>
    await s3.send(new PutObjectCommand({ Bucket, Key: 'a', Body: body }));
  await put(text);
  return {
    s3,
    put,
    reference: (promised: Partial<PayloadReference>): PayloadReference => ({
      bucket: Bucket,
      key: 'a',
      sha256: right.sha256,
      ...promised,
    }),
  };
}

async function failureOf(doing: Promise<unknown>): Promise<JobError> {
  const failure: unknown = await doing.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(failure instanceof JobError);
  return failure;
}

test('what validation says it read of a refused payload is what the console shows', async (t) => {
  const { s3, reference } = await startReading(t);
  for (const [promised, read] of [
    [{ sha256: other }, { length: undefined, sha256: right.sha256 }],
    [{ sha256: other, size: right.length }, right],
    [{ size: 1_234_567 }, right],
    [{ sha256: other, size: 1_234_567 }, right],
  ] as const) {
    const payloadRef = reference(promised);
    const failure = await failureOf(validatePayload(s3, payloadRef, 1_000));
    assert.equal(failure.code, 'PAYLOAD_CHECKSUM_MISMATCH');
    assert.deepEqual(payloadFacts(payloadRef, null, failure), {
      promised: { length: payloadRef.size, sha256: payloadRef.sha256 },
      read,
      verdict: { isGood: false, text: 'is not what was promised' },
    });
  }
});

test('a payload that is too large, missing or was replaced shows what is known of it, and no more', async (t) => {
  const { s3, put, reference } = await startReading(t);
  const payloadRef = reference({});
  const tooLarge = payloadFacts(
    payloadRef,
    null,
    await failureOf(validatePayload(s3, payloadRef, 10)),
  );
  assert.deepEqual(tooLarge.read, { length: right.length, sha256: undefined });
  assert.equal(tooLarge.verdict?.text, 'is too large');

  const missing = { ...payloadRef, key: 'nothing' };
  const notThere = payloadFacts(missing, null, await failureOf(validatePayload(s3, missing, 1000)));
  assert.deepEqual(notThere.read, { length: undefined, sha256: undefined });
  assert.equal(notThere.verdict?.text, 'is not there');

  const pin = await validatePayload(s3, payloadRef, 1000);
  assert.deepEqual(payloadFacts(payloadRef, pin, null), {
    promised: { length: undefined, sha256: right.sha256 },
    read: right,
    verdict: { isGood: true, text: 'is what was promised' },
  });
  const read = Array.fromAsync(await openPinnedPayload(s3, { ...pin, sha256: other }));
  const found = payloadFacts(payloadRef, { ...pin, sha256: other }, await failureOf(read));
  assert.deepEqual(found.read, { length: undefined, sha256: right.sha256 });
  await put('replaced');
  const replaced = payloadFacts(payloadRef, pin, await failureOf(openPinnedPayload(s3, pin)));
  assert.deepEqual(replaced.read, { length: undefined, sha256: undefined });
  assert.equal(replaced.verdict?.text, 'was replaced after it was validated');
  assert.equal(payloadFacts(payloadRef, null, null).verdict, undefined);
});
