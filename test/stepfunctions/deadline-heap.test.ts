import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { DeadlineHeap } from '../../local/stepfunctions/runtime/deadline-heap.ts';

const change = fc.record({
  id: fc.integer({ min: 0, max: 20 }),
  dueAt: fc.oneof(fc.integer({ min: 0, max: 50 }), fc.constant(Infinity)),
});

test('the earliest deadline is always the one a plain list would give', () => {
  fc.assert(
    fc.property(
      fc.array(change, { maxLength: 200 }),
      fc.integer({ min: 0, max: 60 }),
      (changes, now) => {
        const heap = new DeadlineHeap();
        const expected = new Map<number, number>();
        for (const { id, dueAt } of changes) {
          heap.set(id, dueAt);
          if (dueAt === Infinity) expected.delete(id);
          else expected.set(id, dueAt);
          assert.equal(heap.size, expected.size);
          assert.equal(heap.earliest, Math.min(Infinity, ...expected.values()));
        }
        const due = heap.takeDue(now);
        const isDue = [...expected].filter(([, dueAt]) => dueAt <= now);
        assert.deepEqual(new Set(due), new Set(isDue.map(([id]) => id)));
        assert.deepEqual(
          due.map((id) => expected.get(id)),
          isDue.map(([, dueAt]) => dueAt).toSorted((a, b) => a - b),
          'the earliest first',
        );
      },
    ),
  );
});
