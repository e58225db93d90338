import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytes, count, duration, rate } from '../../console/parts/format.ts';

test('numbers have their thousands apart, and big integers keep every digit', () => {
  assert.deepEqual([0, 999, 24_972, -1_000].map(count), ['0', '999', '24,972', '-1,000']);
  assert.equal(count(9_007_199_254_740_993n), '9,007,199,254,740,993');
  assert.equal(rate(1234.5), '1,234.50/s');
  assert.equal(duration(1_234 * 86_400_000), '1,234 d');
});

test('bytes are told in the unit that keeps them short', () => {
  assert.deepEqual([1_023, 1_024, 1_048_576].map(bytes), ['1,023 B', '1.0 KiB', '1.0 MiB']);
  assert.equal(bytes(5_000n * 1_024n ** 4n), '5,000.0 TiB');
});
