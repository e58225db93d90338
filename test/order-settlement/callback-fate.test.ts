import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallbackAnswer } from '../../jobs/callback-answer.ts';
import { afterRefusal, fateOf } from '../../jobs/dispatch/deliver-callback.ts';
import { type JobId, newCallbackId, newJobId, type TenantId } from '../../jobs/ids.ts';
import type { Callback } from '../../jobs/store/callbacks.ts';

const jobId: JobId = newJobId();
const answer = (outcome: CallbackAnswer['outcome']): CallbackAnswer => ({
  outcome,
  reference: 'pay_1',
  amount: 1,
  currency: 'IDR',
  at: '2031-01-01T00:00:00.000Z',
  reason: null,
});
const waiting: Callback = {
  callbackId: newCallbackId(),
  tenantId: 'acme' as TenantId,
  jobId,
  jobType: 'order-settlement',
  jobStatus: 'RUNNING',
  run: 1,
  correlationId: 'test',
  provider: 'payment',
  effectKey: 'order:1:payment:1',
  executionName: jobId,
  redriveCount: 0,
  taskToken: 'a token',
  tokenNo: 1,
  answer: answer('succeeded'),
  deliveredAt: null,
  settledAs: null,
};

test('an answer is sent while its job is open and has not gone on without it', () => {
  assert.equal(fateOf(waiting).do, 'send');
  assert.equal(fateOf({ ...waiting, jobStatus: 'PENDING' }).do, 'send');
});

test('an answer that was delivered, or that the job has gone on with, asks for nothing more', () => {
  assert.equal(fateOf({ ...waiting, deliveredAt: new Date() }).do, 'nothing');
  for (const jobStatus of ['RUNNING', 'SUCCEEDED', 'FAILED']) {
    assert.equal(fateOf({ ...waiting, settledAs: 'succeeded', jobStatus }).do, 'nothing');
  }
  const declined = { ...waiting, answer: answer('declined') };
  for (const settledAs of ['declined', 'voided']) {
    assert.equal(fateOf({ ...declined, settledAs }).do, 'nothing');
  }
});

test('a success after the void or the decline, and an answer for a job that is over, are held', () => {
  for (const settledAs of ['voided', 'declined']) {
    assert.equal(fateOf({ ...waiting, settledAs }).do, 'hold');
  }
  assert.equal(
    fateOf({ ...waiting, settledAs: 'succeeded', answer: answer('declined') }).do,
    'hold',
  );
  for (const jobStatus of ['FAILED', 'CANCELLED', 'EXPIRED', 'SUCCEEDED']) {
    assert.equal(fateOf({ ...waiting, jobStatus }).do, 'hold');
  }
});

test('where nothing waits with the token, an answer is done with only if a later attempt will read it', () => {
  assert.equal(afterRefusal(waiting, 'TaskTimedOut').do, 'nothing');
  assert.equal(afterRefusal({ ...waiting, jobStatus: 'FAILED' }, 'TaskTimedOut').do, 'hold');
  assert.equal(afterRefusal({ ...waiting, settledAs: 'voided' }, 'InvalidToken').do, 'hold');
  // A delivery that was done and not recorded: the job has gone on with this very answer.
  assert.equal(afterRefusal({ ...waiting, settledAs: 'succeeded' }, 'TaskTimedOut').do, 'nothing');
});
