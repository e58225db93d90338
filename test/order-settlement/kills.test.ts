// kill -9 in the middle of settlements; what is believed is what the payment provider and the mail server have seen.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openShop, serum } from './shop.ts';
import { waitFor } from '../support/wait-for.ts';

const shop = await openShop();
after(() => shop.close());

async function assertSettledOnce(orderId: string, jobId: string): Promise<void> {
  const { status, failure } = await shop.settled(jobId, 40_000);
  assert.equal(status, 'SUCCEEDED', `${orderId}: ${JSON.stringify(failure)}`);
  const payments = await shop.paymentsOf(orderId);
  assert.deepEqual(
    payments.map((payment) => payment.status),
    ['succeeded'],
    `${orderId} is paid once`,
  );
  assert.equal((await shop.confirmationsOf(orderId)).length, 1, `${orderId} has one mail`);
}

test('the Lambda host dies between the provider’s yes and our note of it; engine, API and worker die while the webhooks come', async () => {
  const before = await shop.inStock('serum-30');
  const jobs = new Map<string, string>();
  shop.arm('after-provider-answer');
  jobs.set('noted-late', await shop.order('noted-late', [serum(1)]));
  await waitFor(() => shop.fired('after-provider-answer'), 10_000, 'the Lambda host to die');

  await shop.pay({ confirmAfterMs: 1_500, copies: 2 });
  for (const orderId of ['killed-1', 'killed-2', 'killed-3', 'killed-4']) {
    jobs.set(orderId, await shop.order(orderId, [serum(2)]));
  }
  await waitFor(
    async () => (await shop.paymentsOf('killed-4')).length > 0,
    20_000,
    'all payments to be asked for',
  );
  await Promise.all([shop.pawl.kill('engine'), shop.pawl.kill('api'), shop.pawl.kill('worker')]);
  for (const [orderId, jobId] of jobs) await assertSettledOnce(orderId, jobId);
  assert.equal(await shop.inStock('serum-30'), before - 9);
  assert.deepEqual(await shop.held(), []);
});
