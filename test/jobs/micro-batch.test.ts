import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createMicroBatch } from '../../jobs/micro-batch.ts';

/** The groups in the order in which they went; each is under way until `end` is called. */
function groupsOf(options: {
  maxItems: number;
  maxInFlight: number;
  gatherMs?: number;
  companyMs?: number;
  early?: boolean;
}) {
  const groups: number[][] = [];
  const ends: (() => void)[] = [];
  const batch = createMicroBatch<number>({
    ...options,
    flush: async (items) => {
      groups.push([...items]);
      await new Promise<void>((resolve) => ends.push(resolve));
    },
  });
  return { batch, groups, end: () => ends.shift()?.() };
}

test('what comes in one turn of the event loop goes together, and what comes meanwhile in a larger group', async () => {
  const { batch, groups, end } = groupsOf({ maxItems: 3, maxInFlight: 1 });
  batch.add(1);
  batch.add(2);
  await nextTurn();
  for (const item of [3, 4, 5, 6]) batch.add(item);
  await nextTurn();
  assert.deepEqual(groups, [[1, 2]]);
  end();
  await nextTurn();
  await nextTurn();
  assert.deepEqual(groups, [
    [1, 2],
    [3, 4, 5],
  ]);
});

test('an early group has what was settled at the same moment, and goes before the turn ends', async () => {
  const { batch, groups } = groupsOf({ maxItems: 3, maxInFlight: 9, early: true });
  const answered = Promise.resolve();
  const adding = [1, 2].map(async (item) => {
    await answered;
    batch.add(item);
  });
  let isNextTurn = false;
  setImmediate(() => (isNextTurn = true));
  await Promise.all(adding);
  await Promise.resolve();
  assert.deepEqual(groups, [[1, 2]]);
  assert.equal(isNextTurn, false);
});

test('a group that gathers goes when its time is over, or at once when it is full', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { batch, groups } = groupsOf({ maxItems: 3, maxInFlight: 9, gatherMs: 100 });
  batch.add(1);
  t.mock.timers.tick(99);
  assert.deepEqual(groups, []);
  t.mock.timers.tick(1);
  assert.deepEqual(groups, [[1]]);
  for (const item of [2, 3, 4]) batch.add(item);
  await nextTurn();
  assert.deepEqual(groups, [[1], [2, 3, 4]]);
  batch.add(5);
  t.mock.timers.tick(99);
  assert.equal(groups.length, 2, 'the full group took its timer along');
  t.mock.timers.tick(1);
  assert.deepEqual(groups.at(-1), [5]);
});

test('drain waits for nobody: what gathers goes now', async () => {
  const { batch, groups, end } = groupsOf({ maxItems: 3, maxInFlight: 1, gatherMs: 60_000 });
  batch.add(1);
  const drained = batch.drain();
  assert.deepEqual(groups, [[1]]);
  end();
  await drained;
});

test('while a group is under way an incomplete one waits for company; it goes when full, late, or alone', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { batch, groups, end } = groupsOf({ maxItems: 3, maxInFlight: 3, companyMs: 5 });
  for (const item of [1, 2, 3, 4]) batch.add(item);
  await nextTurn();
  assert.deepEqual(groups, [[1, 2, 3]], 'a lone group goes at once, what is left over does not');
  t.mock.timers.tick(4);
  assert.equal(groups.length, 1);
  t.mock.timers.tick(1);
  assert.deepEqual(groups.at(-1), [4]);
  for (const item of [5, 6, 7]) batch.add(item);
  await nextTurn();
  assert.deepEqual(groups.at(-1), [5, 6, 7], 'a full one does not wait');
  batch.add(8);
  for (let ended = 0; ended < 3; ended += 1) end();
  await nextTurn();
  await nextTurn();
  assert.deepEqual(groups.at(-1), [8], 'nothing is under way any more');
});

test('drain in the turn in which a group was to go leaves nothing for it to flush', async () => {
  const { batch, groups, end } = groupsOf({ maxItems: 3, maxInFlight: 1 });
  batch.add(1);
  const drained = batch.drain();
  end();
  await drained;
  await nextTurn();
  assert.deepEqual(groups, [[1]]);
});
