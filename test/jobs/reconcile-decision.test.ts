import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newJobId, type TenantId } from '../../jobs/ids.ts';
import { decide, type QueueView } from '../../jobs/reconcile.ts';
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
  idempotencyKey: `start:${jobId}:0`,
  resends: 0,
  quarantinedAs: null,
  held: false,
  messageDone: false,
  waitsInOrder: false,
};
const view = (more: Partial<QueueView> = {}): QueueView => ({
  empty: false,
  hasPassed: () => false,
  deadLetters: new Set(),
  ...more,
});
const backlog = view();
const empty = view({ empty: true });

test('a message that waits in a backlog is not sent a second time', () => {
  assert.equal(decide(job, backlog), 'wait');
});

test('a message is sent again when the queue is empty, or has passed it in its tenant’s group', () => {
  assert.equal(decide(job, empty), 'resend');
  const hasPassed: QueueView['hasPassed'] = (group, sentAt) =>
    group === 'acme' && sentAt === job.publishedAt;
  assert.equal(decide(job, view({ hasPassed })), 'resend');
  assert.equal(decide({ ...job, tenantId: 'other' as TenantId }, view({ hasPassed })), 'wait');
});

test('a message that the outbox still has is left to the relay', () => {
  assert.equal(decide({ ...job, publishedAt: null }, empty), 'wait');
});

test('what lies in the dead-letter queue or in quarantine is held, not sent again', () => {
  const dead = view({ empty: true, deadLetters: new Set([`start:${jobId}:0`]) });
  assert.equal(decide(job, dead), 'hold');
  assert.equal(decide({ ...job, idempotencyKey: 'another' }, dead), 'resend');
  assert.equal(decide({ ...job, quarantinedAs: 'SCHEMA_VERSION_UNKNOWN' }, backlog), 'hold');
});

test('what was sent again three times in vain is held; in a backlog it is waited for', () => {
  assert.equal(decide({ ...job, resends: 2 }, empty), 'resend');
  assert.equal(decide({ ...job, resends: 3 }, empty), 'hold');
  assert.equal(decide({ ...job, resends: 3 }, backlog), 'wait');
});

test('a held job is only watched for its expiry, and for what the dispatcher has done after all', () => {
  const held = { ...job, held: true };
  assert.equal(decide(held, empty), 'hold');
  assert.equal(decide({ ...held, expired: true }, empty), 'expire');
  assert.equal(decide({ ...held, messageDone: true }, empty), 'look');
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
  assert.equal(decide({ ...job, messageDone: true }, empty), 'look');
});
