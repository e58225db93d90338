// The customer has a second to pay here, and the provider honours no idempotency keys (policy hold), so that what
// follows on silence and on lost answers can be seen.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openShop, serum } from './shop.ts';
import { runCli } from '../support/run-cli.ts';
import { waitFor } from '../support/wait-for.ts';

const shop = await openShop({ PAYMENT_WINDOW_SECONDS: '1', PAYMENT_POLICY: 'hold' });
after(() => shop.close());

test('nobody pays: the payment is voided, the stock released; a success after it is kept and held', async () => {
  const before = await shop.inStock('serum-30');
  await shop.pay({ confirm: 'never', times: 1 });
  const jobId = await shop.order('silent', [serum(3)]);
  const { status, failure } = await shop.settled(jobId);
  assert.equal(status, 'FAILED');
  assert.equal(failure?.code, 'PAYMENT_TIMED_OUT', JSON.stringify(failure));
  assert.deepEqual(
    (await shop.paymentsOf('silent')).map((payment) => payment.status),
    ['voided'],
  );
  assert.equal(await shop.inStock('serum-30'), before);
  assert.deepEqual(await shop.held(), []);

  assert.equal((await shop.webhook('silent', 1, 'succeeded')).answer, '200');
  const held = await waitFor(
    async () => (await shop.held()).find((answer) => answer.jobId === jobId),
    10_000,
    'the late success to be held',
  );
  assert.equal(held.answer.outcome, 'succeeded');
  assert.match(held.heldReason, /went on as voided/);
  assert.equal((await shop.job(jobId)).status, 'FAILED');
  assert.equal(await shop.inStock('serum-30'), before);
  assert.equal((await shop.confirmationsOf('silent')).length, 0);

  // A person refunds it at the provider, and says so on the command line.
  const cli = (...args: readonly string[]) => runCli(shop.pawl.runtime(), ['callbacks', ...args]);
  assert.ok((await cli('list')).out.includes(held.callbackId));
  assert.equal((await cli('resolve', held.callbackId)).code, 2, 'a reason is wanted');
  const resolved = await cli('resolve', held.callbackId, '--reason', 'refunded, re_123');
  assert.deepEqual(JSON.parse(resolved.out), { resolved: true }, resolved.err);
  assert.ok(!(await shop.held()).some(({ callbackId }) => callbackId === held.callbackId));
});

test('a decline that comes after the void is nobody’s concern', async () => {
  await shop.pay({ confirm: 'never', times: 1 });
  const jobId = await shop.order('silent-2', [serum(1)]);
  await shop.settled(jobId);
  const heldBefore = (await shop.held()).length;
  assert.equal((await shop.webhook('silent-2', 1, 'declined')).answer, '200');
  await waitFor(
    () => shop.log('worker').includes('the job has gone on with this answer'),
    10_000,
    'the dispatcher to have seen it',
  );
  assert.equal((await shop.held()).length, heldBefore);
});

test('paid after all, and only the void brings it to light: the order goes on', async () => {
  await shop.pay({ confirm: 'silently', confirmAfterMs: 0, times: 1 });
  const jobId = await shop.order('lost-webhook', [serum(1)]);
  const { status, result, failure } = await shop.settled(jobId);
  assert.equal(status, 'SUCCEEDED', JSON.stringify(failure));
  const [payment] = await shop.paymentsOf('lost-webhook');
  assert.equal(result?.paymentReference, payment?.paymentId);
  assert.equal(payment?.status, 'succeeded');
  assert.equal((await shop.confirmationsOf('lost-webhook')).length, 1);
});

test('the late webhook of an order that went on by its void changes nothing and is not held', async () => {
  const heldBefore = (await shop.held()).length;
  const seen = (): number =>
    shop.log('worker').split('the job has gone on with this answer').length;
  const seenBefore = seen();
  assert.equal((await shop.webhook('lost-webhook', 1, 'succeeded')).answer, '200');
  await waitFor(() => seen() > seenBefore, 10_000, 'the dispatcher to have seen it');
  assert.equal((await shop.held()).length, heldBefore);
  assert.equal((await shop.confirmationsOf('lost-webhook')).length, 1);
});

test('after a void a restart asks for a new payment; the old one’s late success is held, not taken for it', async () => {
  await shop.pay({ confirm: 'never', times: 1 });
  const jobId = await shop.order('second-try', [serum(1)]);
  assert.equal((await shop.settled(jobId)).failure?.code, 'PAYMENT_TIMED_OUT');
  await shop.call('POST', `/jobs/${jobId}/redrive`, {}, 'operator');
  const { status, result, failure } = await shop.settled(jobId);
  assert.equal(status, 'SUCCEEDED', JSON.stringify(failure));
  const payments = await shop.paymentsOf('second-try');
  assert.deepEqual(
    payments.map((payment) => payment.status),
    ['voided', 'succeeded'],
  );
  assert.equal(result?.paymentReference, payments[1]?.paymentId);
  await shop.webhook('second-try', 1, 'succeeded');
  await waitFor(
    async () =>
      (await shop.held()).some((answer) => answer.effectKey === 'order:second-try:payment:1'),
    10_000,
    'the old payment’s success to be held',
  );
  assert.equal((await shop.confirmationsOf('second-try')).length, 1);
});

test('a void whose answer is lost is not guessed: a person says what became of it, then the stock is released', async () => {
  const before = await shop.inStock('serum-30');
  await shop.pay({ confirm: 'never', times: 1 });
  await shop.voids({ answer: 'drop', times: 1 });
  const jobId = await shop.order('void-lost', [serum(1)]);
  const { failure } = await shop.settled(jobId);
  assert.equal(failure?.code, 'EFFECT_OUTCOME_UNKNOWN', JSON.stringify(failure));
  assert.equal(failure?.state, 'VoidPayment');
  assert.equal(await shop.inStock('serum-30'), before - 1);
  await resolve(jobId, { verdict: 'completed', reason: 'the provider shows it voided' });
  await shop.call('POST', `/jobs/${jobId}/redrive`, {}, 'operator');
  assert.equal((await shop.settled(jobId)).failure?.code, 'PAYMENT_TIMED_OUT');
  assert.equal(await shop.inStock('serum-30'), before);
});

test('a request whose answer is lost is not repeated; its webhook proves it, and the redrive goes on with that', async () => {
  await shop.pay({ answer: 'drop', confirm: 'never', honourKeys: false, times: 1 });
  const jobId = await shop.order('proven', [serum(1)]);
  const { failure } = await shop.settled(jobId);
  assert.equal(failure?.code, 'EFFECT_OUTCOME_UNKNOWN', JSON.stringify(failure));
  assert.equal((await shop.webhook('proven', 1, 'succeeded')).answer, '200');
  await waitFor(
    async () => (await shop.held()).some((answer) => answer.jobId === jobId),
    10_000,
    'the answer to be held, since the job is over',
  );
  const { body } = await shop.call('GET', `/jobs/${jobId}/effects`, undefined, 'operator');
  assert.deepEqual(
    (body as { effects: { status: string }[] }).effects.map((effect) => effect.status),
    ['COMPLETED'],
  );
  await shop.call('POST', `/jobs/${jobId}/redrive`, {}, 'operator');
  const redriven = await shop.settled(jobId);
  assert.equal(redriven.status, 'SUCCEEDED', JSON.stringify(redriven.failure));
  assert.equal((await shop.paymentsOf('proven')).length, 1);
  assert.equal((await shop.confirmationsOf('proven')).length, 1);
  assert.ok(!(await shop.held()).some((answer) => answer.jobId === jobId));
});

async function resolve(jobId: string, verdict: Record<string, string>): Promise<void> {
  const { body } = await shop.call('GET', `/jobs/${jobId}/effects`, undefined, 'operator');
  const { effects } = body as { effects: { effectId: string; status: string }[] };
  const unknown = effects.find(({ status }) => status === 'UNKNOWN');
  const path = `/effects/${unknown?.effectId}/resolve`;
  assert.equal((await shop.call('POST', path, verdict, 'operator')).status, 200);
}
