import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newJobId, type TenantId } from '../../jobs/ids.ts';
import { decide } from '../../jobs/reconcile.ts';
import type { OwnerlessJob } from '../../jobs/store/ownerless.ts';

const now = Date.now();
const ago = (seconds: number) => new Date(now - seconds * 1_000);
const jobId = newJobId();
const job: OwnerlessJob = {
  jobId,
  tenantId: 'acme' as TenantId,
  type: 'document-metadata',
  status: 'PENDING',
  executionName: jobId,
  redriveCount: 0,
  expired: false,
  messageId: 'a message',
  publishedAt: ago(600),
  messageDone: false,
  waitsInOrder: false,
};
const backlog = { empty: false, receivedUpTo: ago(3_000) };

test('a message that waits in a backlog is not sent a second time', () => {
  assert.equal(decide(job, backlog), 'wait');
  assert.equal(decide(job, { empty: false, receivedUpTo: undefined }), 'wait');
});

test('a message is sent again when the queue is empty, or has passed it', () => {
  assert.equal(decide(job, { empty: true, receivedUpTo: undefined }), 'resend');
  assert.equal(decide(job, { empty: false, receivedUpTo: ago(10) }), 'resend');
});

test('what was published just before what is received now may be behind it: it is waited for', () => {
  assert.equal(
    decide({ ...job, publishedAt: ago(30) }, { empty: false, receivedUpTo: ago(0) }),
    'wait',
  );
});

test('a message that the outbox still has is left to the relay', () => {
  assert.equal(
    decide({ ...job, publishedAt: null }, { empty: true, receivedUpTo: undefined }),
    'wait',
  );
});

test('a job without any message left is looked up in Step Functions', () => {
  assert.equal(decide({ ...job, messageId: null, publishedAt: null }, backlog), 'look');
});

test('open jobs past their expiresAt expire, others are looked up', () => {
  assert.equal(decide({ ...job, expired: true }, backlog), 'expire');
  assert.equal(decide({ ...job, status: 'RUNNING', expired: true }, backlog), 'expire');
  assert.equal(decide({ ...job, status: 'RUNNING' }, backlog), 'look');
  assert.equal(decide({ ...job, status: 'CANCELLED', expired: true }, backlog), 'look');
});

test('a message that the dispatcher is done with is not sent again: its execution is looked up', () => {
  const empty = { empty: true, receivedUpTo: undefined };
  assert.equal(decide({ ...job, messageDone: true }, empty), 'look');
});
