import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobId } from '../../jobs/ids.ts';
import type { Sql } from '../../jobs/store/connect.ts';
import type { OpenJob } from '../../jobs/store/open-run.ts';
import { rememberRuns } from '../../tasks/runtime/remember-runs.ts';

const sql = undefined as unknown as Sql;
const fenceOf = (jobId: string, redriveCount = 0) => ({
  jobId: jobId as JobId,
  executionName: jobId,
  redriveCount,
});

/** Counts what is read, by a clock that the test sets. */
function startRuns(job: Partial<OpenJob> = { payloadRef: null, payloadPin: null }) {
  const reads: string[] = [];
  const clock = { ms: 0 };
  const open = rememberRuns(
    async (_sql, { executionName, redriveCount }) => {
      reads.push(`${executionName}/${redriveCount}`);
      return { ...job, jobId: executionName } as OpenJob;
    },
    () => clock.ms,
  );
  return { reads, clock, open: (jobId: string, count = 0) => open(sql, fenceOf(jobId, count), '') };
}

test('the next tasks of an execution know its job for a second, and then read it again', async () => {
  const { reads, clock, open } = startRuns();
  await open('a');
  clock.ms = 999;
  assert.equal((await open('a')).jobId, 'a');
  assert.deepEqual(reads, ['a/0']);
  clock.ms = 1_000;
  await open('a');
  assert.deepEqual(reads, ['a/0', 'a/0'], 'using it has not made it last longer');
});

test('a redrive of the execution is another run, and what was refused is asked again', async () => {
  const { reads, open } = startRuns();
  await open('a');
  await open('a', 1);
  await open('a', 1);
  await open('a');
  assert.deepEqual(reads, ['a/0', 'a/1', 'a/0'], 'the older run is asked for again');

  let refusals = 0;
  const refusing = rememberRuns(() => {
    refusals += 1;
    return Promise.reject(new Error('not open'));
  });
  await assert.rejects(refusing(sql, fenceOf('b'), ''));
  await assert.rejects(refusing(sql, fenceOf('b'), ''));
  assert.equal(refusals, 2);
});

test('a job with a payload is read by every task, pinned to a version or not: a restart pins it anew', async () => {
  for (const payloadPin of [null, { versionId: 'of the run before' }]) {
    const { reads, open } = startRuns({ payloadRef: { key: 'k' }, payloadPin });
    await open('a');
    await open('a');
    assert.equal(reads.length, 2);
  }
});

test('a hundred runs are remembered, the newest', async () => {
  const { reads, open } = startRuns();
  for (let n = 0; n <= 100; n += 1) await open(`run-${n}`);
  await open('run-1');
  assert.equal(reads.length, 101);
  await open('run-0');
  assert.equal(reads.length, 102);
});
