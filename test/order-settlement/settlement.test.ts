import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { openShop, serum } from './shop.ts';
import { waitFor } from '../support/wait-for.ts';

const shop = await openShop();
after(() => shop.close());

test('a paid order: stock taken, money taken once, one mail, the result says by which payment', async () => {
  await shop.setStock('serum-30', 100, 149_000);
  const jobId = await shop.order('happy', [serum(1), serum(2)]);
  const { status, result, failure } = await shop.settled(jobId);
  assert.equal(status, 'SUCCEEDED', JSON.stringify(failure));
  const payments = await shop.paymentsOf('happy');
  assert.deepEqual(
    payments.map(({ status, amount }) => ({ status, amount })),
    [{ status: 'succeeded', amount: 447_000 }],
  );
  assert.deepEqual(result, {
    orderId: 'happy',
    amount: 447_000,
    paymentReference: payments[0]?.paymentId,
    paidAt: payments[0]?.at,
  });
  assert.equal(await shop.inStock('serum-30'), 97);
  const mails = await shop.confirmationsOf('happy');
  assert.equal(mails.length, 1);
  assert.match(mails[0]?.body ?? '', /Rp 447\.000/);
});

test('the same order again is the same payment and the same mail', async () => {
  const jobId = await shop.order('happy', [serum(3)]);
  const { status, result } = await shop.settled(jobId);
  assert.equal(status, 'SUCCEEDED');
  assert.equal(result?.amount, 447_000);
  assert.equal((await shop.paymentsOf('happy')).length, 1);
  assert.equal((await shop.confirmationsOf('happy')).length, 1);
  assert.equal(await shop.inStock('serum-30'), 97);
});

test('other content under the id of a paid order is ORDER_CONFLICT', async () => {
  const { failure } = await shop.settled(await shop.order('happy', [serum(1)]));
  assert.equal(failure?.code, 'ORDER_CONFLICT');
  assert.equal(await shop.inStock('serum-30'), 97);
});

for (const [how, behaviour] of [
  ['by webhook', { confirm: 'declined' }],
  ['at once with 402', { answer: 'decline' }],
] as const) {
  test(`a payment declined ${how} gives the stock back; a restart pays anew`, async () => {
    const orderId = `declined-${behaviour === undefined ? '' : how.replaceAll(' ', '-')}`;
    const before = await shop.inStock('serum-30');
    await shop.pay({ ...behaviour, times: 1 });
    const jobId = await shop.order(orderId, [serum(2)]);
    const declined = await shop.settled(jobId);
    assert.equal(declined.failure?.code, 'PAYMENT_DECLINED', JSON.stringify(declined.failure));
    assert.match(declined.failure?.message ?? '', /insufficient funds.*stock.*released/);
    assert.equal(await shop.inStock('serum-30'), before);
    assert.equal((await shop.confirmationsOf(orderId)).length, 0);

    const redrive = await shop.call('POST', `/jobs/${jobId}/redrive`, {}, 'operator');
    assert.equal(redrive.status, 202);
    const paid = await shop.settled(jobId);
    assert.equal(paid.status, 'SUCCEEDED', JSON.stringify(paid.failure));
    const payments = await shop.paymentsOf(orderId);
    assert.deepEqual(
      payments.map(({ status }) => status),
      ['declined', 'succeeded'],
    );
    assert.equal(await shop.inStock('serum-30'), before - 2);
    assert.equal((await shop.confirmationsOf(orderId)).length, 1);
    assert.deepEqual(await shop.held(), []);
  });
}

test('a webhook that comes before the request is answered counts', async () => {
  await shop.pay({ webhook: 'early', times: 1 });
  const { status, failure } = await shop.settled(await shop.order('early', [serum(1)]));
  assert.equal(status, 'SUCCEEDED', JSON.stringify(failure));
  assert.equal((await shop.paymentsOf('early')).length, 1);
});

test('a webhook that comes five times is answered 200 five times and counts once', async () => {
  await shop.pay({ copies: 5, times: 1 });
  const { status } = await shop.settled(await shop.order('often', [serum(1)]));
  assert.equal(status, 'SUCCEEDED');
  const [payment] = await shop.paymentsOf('often');
  await waitFor(
    async () => {
      const { webhooks } = await shop.ledger();
      const sent = webhooks.filter(({ paymentId }) => paymentId === payment?.paymentId);
      return sent.length === 5 && sent.every(({ answer }) => answer === '200');
    },
    5_000,
    'five answers of 200',
  );
  assert.equal((await shop.confirmationsOf('often')).length, 1);
  assert.deepEqual(await shop.held(), []);
});

test('a forged webhook is 401 and changes nothing; the true one counts', async () => {
  await shop.pay({ webhook: 'forged', times: 1 });
  const jobId = await shop.order('forged', [serum(1)]);
  await waitFor(
    async () =>
      (await shop.ledger()).webhooks.some(({ forged, answer }) => forged && answer === '401'),
    10_000,
    'the forged webhook to be refused',
  );
  assert.equal((await shop.job(jobId)).status, 'RUNNING');
  await shop.webhook('forged', 1, 'succeeded');
  assert.equal((await shop.settled(jobId)).status, 'SUCCEEDED');
});

test('an address that nobody was given is 404', async () => {
  for (const id of ['x'.repeat(43), 'short', '../../etc']) {
    const { status } = await shop.call('POST', `/callbacks/${encodeURIComponent(id)}`, {});
    assert.equal(status, 404);
  }
});

test('a webhook signed ten minutes ago is 401, one that says nothing we know 400', async () => {
  await shop.pay({ confirm: 'never', times: 1 });
  const jobId = await shop.order('replayed', [serum(1)]);
  await waitFor(async () => (await shop.paymentsOf('replayed')).length === 1, 10_000, 'a payment');
  const [order] = await shop.sql<{ callbackId: string }[]>`
    select callback_id as "callbackId" from orders where order_id = 'replayed'`;
  const post = async (body: string, signedAt: Date): Promise<number> => {
    const response = await fetch(`${shop.pawl.runtime().api}/callbacks/${order?.callbackId}`, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'webhook-id': 'evt_1',
        'webhook-timestamp': String(Math.floor(signedAt.getTime() / 1000)),
        'webhook-signature': new Webhook(shop.webhookSecret).sign('evt_1', signedAt, body),
      },
    });
    await response.body?.cancel();
    return response.status;
  };
  const data = { paymentId: 'pay_x', amount: 149_000, currency: 'IDR' };
  const success = { type: 'payment.succeeded', timestamp: new Date().toISOString(), data };
  const old = new Date(Date.now() - 10 * 60_000);
  assert.equal(await post(JSON.stringify(success), old), 401);
  assert.equal(await post('{', new Date()), 400);
  assert.equal(await post(JSON.stringify({ ...success, type: 'payment.dreamt' }), new Date()), 400);
  assert.equal((await shop.job(jobId)).status, 'RUNNING');
  assert.equal(await post(JSON.stringify(success), new Date()), 200);
  assert.equal((await shop.settled(jobId)).result?.paymentReference, 'pay_x');
});

test('an order whose expiresAt passes while it waits for its payment does not expire', async () => {
  await shop.pay({ confirm: 'never', times: 1 });
  const input = {
    orderId: 'overdue',
    customerEmail: 'overdue@example.com',
    currency: 'IDR',
    items: [serum(1)],
  };
  const expires = Date.now() + 1_500;
  const expiresAt = new Date(expires).toISOString();
  const { body } = await shop.call('POST', '/jobs', { type: 'order-settlement', input, expiresAt });
  const { jobId } = body as { jobId: string };
  await waitFor(async () => (await shop.paymentsOf('overdue')).length === 1, 10_000, 'a payment');
  await waitFor(
    () =>
      Date.now() > expires &&
      shop.log('worker').includes(`"jobId":"${jobId}","status":"RUNNING","action":"look"`),
    10_000,
    'the reconciler to have looked at it after its expiry',
  );
  assert.equal((await shop.job(jobId)).status, 'RUNNING');
  await shop.webhook('overdue', 1, 'succeeded');
  assert.equal((await shop.settled(jobId)).status, 'SUCCEEDED');
});

test('an answer that contradicts the first is kept and held for a person', async () => {
  const jobId = await shop.order('twofold', [serum(1)]);
  assert.equal((await shop.settled(jobId)).status, 'SUCCEEDED');
  assert.equal((await shop.webhook('twofold', 1, 'declined')).answer, '200');
  const [held] = await shop.held();
  assert.equal(held?.jobId, jobId);
  assert.match(held?.heldReason ?? '', /had answered succeeded before/);
  const resolve = `/ops/callbacks/${held?.callbackId}/resolve`;
  const reason = { reason: 'the provider confirms that it was paid' };
  assert.equal((await shop.call('POST', resolve, reason, 'operator')).status, 200);
  assert.equal((await shop.call('POST', resolve, reason, 'operator')).status, 404);
  assert.deepEqual(await shop.held(), []);
});

test('an order in the middle of it cannot be cancelled: 409, and it goes on', async () => {
  await shop.pay({ confirm: 'never', times: 1 });
  const jobId = await shop.order('no-way-back', [serum(1)]);
  await waitFor(
    async () => (await shop.paymentsOf('no-way-back')).length === 1,
    10_000,
    'a payment',
  );
  const { status, body } = await shop.call('POST', `/jobs/${jobId}/cancel`, {});
  assert.equal(status, 409);
  assert.match(JSON.stringify(body), /job-has-begun/);
  await shop.webhook('no-way-back', 1, 'succeeded');
  assert.equal((await shop.settled(jobId)).status, 'SUCCEEDED');
});

test('an order that has not begun can be cancelled, and nothing of it happens', async () => {
  const input = {
    orderId: 'later',
    customerEmail: 'later@example.com',
    currency: 'IDR',
    items: [serum(1)],
  };
  const notBefore = new Date(Date.now() + 3_600_000).toISOString();
  const { body } = await shop.call('POST', '/jobs', { type: 'order-settlement', input, notBefore });
  const { jobId } = body as { jobId: string };
  assert.equal((await shop.call('POST', `/jobs/${jobId}/cancel`, {})).status, 202);
  assert.equal((await shop.job(jobId)).status, 'CANCELLED');
  assert.deepEqual(await shop.paymentsOf('later'), []);
});

test('a price that has changed, an unknown sku and too little stock reserve nothing and charge nobody', async () => {
  await shop.setStock('toner-100', 1, 99_000);
  const before = await shop.inStock('serum-30');
  const cases = [
    ['repriced', [{ sku: 'serum-30', quantity: 1, unitPrice: 150_000 }], 'PRICE_CHANGED'],
    ['nowhere', [serum(1), { sku: 'unheard-of', quantity: 1, unitPrice: 1 }], 'SKU_UNKNOWN'],
    ['short', [serum(1), { sku: 'toner-100', quantity: 2, unitPrice: 99_000 }], 'OUT_OF_STOCK'],
  ] as const;
  for (const [orderId, items, code] of cases) {
    const { failure } = await shop.settled(await shop.order(orderId, items));
    assert.equal(failure?.code, code);
    assert.equal(failure?.state, 'ReserveStock');
    assert.deepEqual(await shop.paymentsOf(orderId), []);
  }
  assert.equal(await shop.inStock('serum-30'), before);
  assert.equal(await shop.inStock('toner-100'), 1);
});

test('twelve orders at once on the last five pieces: five are paid, none is oversold', async () => {
  await shop.setStock('sunscreen-50', 5, 129_000);
  const ids = Array.from({ length: 12 }, (_, index) => `rush-${index}`);
  const jobs = await Promise.all(
    ids.map((orderId) =>
      shop.order(orderId, [{ sku: 'sunscreen-50', quantity: 1, unitPrice: 129_000 }]),
    ),
  );
  const settled = await Promise.all(jobs.map((jobId) => shop.settled(jobId, 30_000)));
  const paid = settled.filter(({ status }) => status === 'SUCCEEDED');
  assert.equal(paid.length, 5, JSON.stringify(settled.map(({ failure }) => failure?.code)));
  for (const { failure } of settled.filter(({ status }) => status !== 'SUCCEEDED'))
    assert.equal(failure?.code, 'OUT_OF_STOCK');
  assert.equal(await shop.inStock('sunscreen-50'), 0);
  const payments = (await Promise.all(ids.map((orderId) => shop.paymentsOf(orderId)))).flat();
  assert.deepEqual(
    payments.map(({ amount, status }) => `${amount} ${status}`),
    Array.from({ length: 5 }, () => '129000 succeeded'),
  );
});

test('a mail server that wants to be asked later gets the mail once', async () => {
  await shop.mail({ answer: 'greylist', times: 2 });
  const { status, failure } = await shop.settled(
    await shop.order('greylisted', [serum(1)]),
    30_000,
  );
  assert.equal(status, 'SUCCEEDED', JSON.stringify(failure));
  assert.equal((await shop.confirmationsOf('greylisted')).length, 1);
});

test('a mail whose fate is unknown is not sent again: held, and a person decides', async () => {
  await shop.mail({ answer: 'drop', times: 1 });
  const jobId = await shop.order('unknown-mail', [serum(1)]);
  const { failure } = await shop.settled(jobId);
  assert.equal(failure?.code, 'EFFECT_OUTCOME_UNKNOWN');
  assert.equal(failure?.state, 'SendConfirmation');
  const { body } = await shop.call('GET', `/jobs/${jobId}/effects`, undefined, 'operator');
  const { effects } = body as { effects: { effectId: string; status: string }[] };
  const unknown = effects.find(({ status }) => status === 'UNKNOWN');
  const verdict = { verdict: 'completed', reason: 'it is in the mailbox' };
  const resolve = `/effects/${unknown?.effectId}/resolve`;
  assert.equal((await shop.call('POST', resolve, verdict, 'operator')).status, 200);
  assert.equal((await shop.call('POST', `/jobs/${jobId}/redrive`, {}, 'operator')).status, 202);
  const redriven = await shop.settled(jobId);
  assert.equal(redriven.status, 'SUCCEEDED', JSON.stringify(redriven));
  assert.equal((await shop.confirmationsOf('unknown-mail')).length, 1);
  assert.equal((await shop.paymentsOf('unknown-mail')).length, 1);
});

test('the provider does it and its answer is lost: asked again by the same key, paid once', async () => {
  await shop.pay({ answer: 'drop', times: 1 });
  const { status, failure } = await shop.settled(
    await shop.order('lost-answer', [serum(1)]),
    30_000,
  );
  assert.equal(status, 'SUCCEEDED', JSON.stringify(failure));
  assert.deepEqual(
    (await shop.paymentsOf('lost-answer')).map(({ status }) => status),
    ['succeeded'],
  );
  assert.equal((await shop.confirmationsOf('lost-answer')).length, 1);
});

test('429 and 503 are waited out', async () => {
  await shop.pay({ answer: 'fail', status: 429, headers: { 'retry-after': '1' }, times: 1 });
  const { status, failure } = await shop.settled(await shop.order('busy', [serum(1)]), 30_000);
  assert.equal(status, 'SUCCEEDED', JSON.stringify(failure));
  assert.equal((await shop.paymentsOf('busy')).length, 1);
});
