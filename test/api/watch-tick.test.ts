import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextTickMs } from '../../api/job-watch.ts';
import { createPatience } from '../../api/watch-patience.ts';

test('a watch that has just begun is looked at every 4 ms, one of four seconds every 200 ms', () => {
  assert.equal(nextTickMs(0, 1), 4);
  assert.equal(nextTickMs(1_000, 1), 50);
  assert.equal(nextTickMs(60_000, 1), 200);
});

test('a slow query takes a fifth of the time at most, however young the watches are', () => {
  assert.equal(nextTickMs(0, 20), 80);
  assert.equal(nextTickMs(0, 1_000), 200);
});

test('a first look waits for most of what the quickest of the type took of late, and never longer than 40 ms', () => {
  const patience = createPatience();
  assert.equal(patience.of('quick'), 4, 'nothing is known of the type yet');
  patience.learn('quick', 20);
  patience.learn('slow', 5_000);
  assert.equal(patience.of('quick'), 16);
  assert.equal(patience.of('slow'), 40);
  patience.learn('quick', 10);
  assert.equal(patience.of('quick'), 8, 'a quicker one counts at once');
  patience.learn('quick', 42);
  assert.equal(patience.of('quick'), 8.8, 'a slower one a little');
});
