import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createReceivedGroups, idleMs, reorderAllowanceMs } from '../../worker/received-groups.ts';

const start = Date.parse('2026-01-01T00:00:00Z');
const at = (ms: number): Date => new Date(start + ms);
const minute = 60_000;

function receiving(capacity?: number) {
  let time = 0;
  const groups = createReceivedGroups({
    now: () => time,
    ...(capacity === undefined ? {} : { capacity }),
  });
  return { groups, pass: (ms: number) => (time += ms) };
}

test('a quiet tenant’s new message says nothing about a busy tenant’s old backlog', () => {
  const { groups } = receiving();
  groups.receive('busy', at(0));
  groups.receive('quiet', at(30 * minute));
  assert.equal(groups.hasPassed('busy', at(5 * minute)), false);
  assert.equal(groups.hasPassed('quiet', at(5 * minute)), true);
});

test('a message without a group speaks for all: such a queue serves them in one line', () => {
  const { groups } = receiving();
  groups.receive(undefined, at(30 * minute));
  assert.equal(groups.hasPassed('acme', at(5 * minute)), true);
  assert.equal(groups.hasPassed('acme', at(31 * minute)), false);
});

test('what was sent just before what is received now may be behind it: queues are not strictly ordered', () => {
  const { groups } = receiving();
  groups.receive('acme', at(reorderAllowanceMs));
  assert.equal(groups.hasPassed('acme', at(0)), false);
  groups.receive('acme', at(reorderAllowanceMs + 1));
  assert.equal(groups.hasPassed('acme', at(0)), true);
  groups.receive('acme', at(10)); // an old one comes late
  assert.equal(groups.hasPassed('acme', at(0)), true);
});

test('a tenant of whom nothing comes while later messages of others do has nothing in the queue', () => {
  const { groups, pass } = receiving();
  groups.receive('acme', at(0));
  pass(idleMs - 1);
  groups.receive('other', at(30 * minute));
  assert.equal(groups.hasPassed('acme', at(minute)), false);
  pass(1);
  assert.equal(groups.hasPassed('acme', at(minute)), true);
  assert.equal(groups.hasPassed('never seen', at(minute)), true);
  // Nothing that was sent after it has been received: it may be the queue's last.
  assert.equal(groups.hasPassed('acme', at(31 * minute)), false);
  groups.receive('acme', at(0));
  assert.equal(groups.hasPassed('acme', at(minute)), false);
});

test('the time before the start and of a pause counts for nothing', () => {
  const { groups, pass } = receiving();
  groups.receive('acme', at(0));
  groups.receive('other', at(30 * minute));
  pass(2 * idleMs);
  groups.resume();
  assert.equal(groups.hasPassed('acme', at(minute)), false);
  assert.equal(groups.hasPassed('never seen', at(minute)), false);
  pass(idleMs);
  assert.equal(groups.hasPassed('acme', at(minute)), true);
});

test('of more groups than it remembers the longest silent is forgotten, and taken for as busy as it last was', () => {
  const { groups, pass } = receiving(2);
  groups.receive('a', at(30 * minute));
  pass(5 * minute);
  groups.receive('b', at(30 * minute));
  groups.receive('c', at(30 * minute));
  assert.equal(groups.hasPassed('a', at(0)), false, 'forgotten');
  assert.equal(groups.hasPassed('b', at(0)), true);
  pass(idleMs - 5 * minute);
  assert.equal(groups.hasPassed('a', at(0)), true, 'silent for ten minutes');
});
