import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { test } from 'node:test';
import { SQSClient } from '@aws-sdk/client-sqs';
import { HttpRequest } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import { Sha256 } from '../../jobs/sha256.ts';

const text = new TextEncoder().encode('Ä text');
const digestOf = async (sha256: Sha256): Promise<string> => {
  sha256.update(text);
  return Buffer.from(await sha256.digest()).toString('hex');
};

test('it is SHA-256, with a secret its HMAC, whatever the secret comes as, and once more after reset', async () => {
  assert.equal(await digestOf(new Sha256()), createHash('sha256').update(text).digest('hex'));
  const bytes = new Uint8Array([9, 1, 2, 3]).subarray(1);
  const hmac = createHmac('sha256', bytes).update(text).digest('hex');
  const hmacs = [bytes, bytes, bytes.slice().buffer].map((secret) => digestOf(new Sha256(secret)));
  assert.deepEqual(await Promise.all(hmacs), [hmac, hmac, hmac]);
  const named = new Sha256('secret');
  const first = await digestOf(named);
  assert.equal(first, createHmac('sha256', 'secret').update(text).digest('hex'));
  named.reset();
  assert.equal(await digestOf(named), first);
});

test('it signs as the SDK’s own does', async () => {
  const credentials = { accessKeyId: 'AKIATEST', secretAccessKey: 'secret' };
  const { config } = new SQSClient({ region: 'eu-central-1', credentials });
  const signedBy = async (sha256: typeof config.sha256): Promise<unknown> => {
    const signer = new SignatureV4({ service: 'sqs', region: 'eu-central-1', credentials, sha256 });
    const request = new HttpRequest({ method: 'POST', headers: { host: 'sqs' }, body: '{}' });
    const signed = await signer.sign(request, { signingDate: new Date(0) });
    return signed.headers['authorization'];
  };
  const ours = await signedBy(Sha256);
  assert.match(String(ours), /^AWS4-HMAC-SHA256 /);
  assert.equal(ours, await signedBy(config.sha256));
});
