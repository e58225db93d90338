import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextTickMs } from '../../api/job-watch.ts';

test('a watch that has just begun is looked at within 8 ms, one of four seconds every 200 ms', () => {
  assert.equal(nextTickMs(0, 1), 8);
  assert.equal(nextTickMs(1_000, 1), 50);
  assert.equal(nextTickMs(60_000, 1), 200);
});

test('a slow query takes a fifth of the time at most, however young the watches are', () => {
  assert.equal(nextTickMs(0, 20), 80);
  assert.equal(nextTickMs(0, 1_000), 200);
});
