import assert from 'node:assert/strict';
import { test } from 'node:test';
import { version, validate } from 'uuid';
import { newJobId, newMessageId } from '../../jobs/ids.ts';

test('ids are uuidv7, each after the one before, also beyond what random bytes are kept for', () => {
  const began = Date.now();
  const ids = Array.from({ length: 1_000 }, (_, n) => (n % 2 === 0 ? newJobId() : newMessageId()));
  assert.ok(ids.every((id) => validate(id) && version(id) === 7));
  assert.deepEqual(ids, ids.toSorted());
  assert.equal(new Set(ids.map((id) => id.slice(-12))).size, 1_000, 'random bytes are used once');
  const madeAt = Number.parseInt((ids[0] ?? '').replaceAll('-', '').slice(0, 12), 16);
  assert.ok(madeAt >= began && madeAt <= Date.now());
});
