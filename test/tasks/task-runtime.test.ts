import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { Terminal, Transient } from '../../jobs/failure.ts';
import { newJobId } from '../../jobs/ids.ts';
import { heldBy } from '../../jobs/store/open-run.ts';
import { defineTask } from '../../tasks/runtime/define-task.ts';
import { handler as markRunning } from '../../tasks/mark-running.ts';
import { handler as markSucceeded } from '../../tasks/mark-succeeded.ts';
import { seedJob } from '../support/seed-job.ts';
import { eventOf, reportedFailure, startTaskWorld } from './task-fixture.ts';

const { deps, sql, logged } = await startTaskWorld();

const throwing = (error: unknown) =>
  defineTask('throwing', async () => {
    throw error;
  }).withDeps(deps);

const seeded = async () => (await seedJob(sql)).jobId;

test('what a task throws reaches Lambda as Transient or Terminal with {code, state, message}', async () => {
  const cases = [
    [new Transient('S3_UNAVAILABLE', 'later'), 'Transient', 'S3_UNAVAILABLE', 'later'],
    [new Terminal('VERSION_CONFLICT', 'never'), 'Terminal', 'VERSION_CONFLICT', 'never'],
    [new TypeError('a bug'), 'Terminal', 'TASK_FAULT', 'a bug'],
    ['text', 'Terminal', 'TASK_FAULT', 'text'],
    [
      Object.assign(new Error('gone'), { code: 'ECONNRESET' }),
      'Transient',
      'DATABASE_UNAVAILABLE',
      'gone',
    ],
  ] as const;
  for (const [error, errorType, code, message] of cases) {
    const failure = await reportedFailure(throwing(error)(eventOf(await seeded(), 'AState')));
    assert.deepEqual(failure, { errorType, code, state: 'AState', message });
  }
});

test('an error text of any size with NUL and lone surrogates becomes a message of at most 8 KiB of JSON', async () => {
  for (const text of ['\u0000\ud800'.repeat(50_000), '"\\'.repeat(50_000), '💥'.repeat(50_000)]) {
    const task = throwing(new Terminal('EFFECT_REJECTED', text));
    const error = await task(eventOf(await seeded(), 'S')).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof Terminal);
    assert.ok(Buffer.byteLength(error.message) <= 8 * 1024);
    assert.ok(error.message.isWellFormed() && !error.message.includes(String.raw`\u0000`));
    assert.equal(JSON.parse(error.message).code, 'EFFECT_REJECTED');
    assert.ok((error.stack ?? '').length < 100, 'the stack is not sent to Step Functions');
  }
});

test('an event that the state did not fill in is a Terminal that names the field', async () => {
  const good = eventOf(newJobId(), 'S');
  const task = defineTask('strict', async () => ({}), Type.Object({ chunk: Type.Integer() }));
  const messageOf = async (event: unknown): Promise<string> => {
    const failure = await reportedFailure(task.withDeps(deps)(event));
    assert.equal(failure.code, 'TASK_FAULT');
    return failure.message;
  };
  assert.match(await messageOf(good), /\/chunk is required/);
  assert.match(await messageOf({ ...good, chunk: 'x' }), /\/chunk must be integer/);
  assert.match(await messageOf({ ...good, chunk: 1, redriveCount: '0' }), /\/redriveCount must be/);
  assert.match(await messageOf({ ...good, chunk: 1, other: 1 }), /\/other is not a property/);
  assert.match(await messageOf({ ...good, chunk: 1, jobId: '../../x' }), /\/jobId is no job id/);
  assert.match(await messageOf(null), /does not fit/);
});

test('an output of more than 32 KiB is refused before Step Functions does', async () => {
  const task = defineTask('large', async () => ({ text: 'x'.repeat(33 * 1024) })).withDeps(deps);
  const failure = await reportedFailure(task(eventOf(await seeded(), 'S')));
  assert.equal(failure.code, 'TASK_FAULT');
  assert.match(failure.message, /at most 32768/);
});

test('the first task makes the job RUNNING; a task of an older or unknown run does nothing', async () => {
  const jobId = await seeded();
  await markRunning.withDeps(deps)(eventOf(jobId, 'MarkRunning'));
  const statusOf = async () => {
    const [job] = await sql`select status, run, redrive_count from jobs where job_id = ${jobId}`;
    return { ...job };
  };
  assert.deepEqual(await statusOf(), { status: 'RUNNING', run: 1, redrive_count: 0 });
  await markRunning.withDeps(deps)({ ...eventOf(jobId, 'MarkRunning'), redriveCount: 1 });
  assert.deepEqual(await statusOf(), { status: 'RUNNING', run: 2, redrive_count: 1 });
  for (const stale of [
    eventOf(jobId, 'MarkRunning'),
    { ...eventOf(jobId, 'MarkRunning'), executionName: `${jobId}-r9`, redriveCount: 5 },
    eventOf(newJobId(), 'MarkRunning'),
  ]) {
    const failure = await reportedFailure(markRunning.withDeps(deps)(stale));
    assert.equal(failure.code, 'JOB_NOT_RUNNABLE');
  }
  assert.deepEqual(await statusOf(), { status: 'RUNNING', run: 2, redrive_count: 1 });
});

test('a task of a job that was cancelled a moment ago has its write and its call of a provider refused', async () => {
  const jobId = await seeded();
  await markRunning.withDeps(deps)(eventOf(jobId, 'MarkRunning'));
  await sql`update jobs set status = 'CANCELLED', finished_at = now() where job_id = ${jobId}`;
  let isAsked = false;
  const task = defineTask('late', async ({ sql: db, fence, callProvider }) => {
    const written = await db`
      with fence as (${heldBy(db, fence)})
      insert into job_events (job_id, tenant_id, run, actor, to_status, reason)
      select job_id, tenant_id, 1, 'late', 'RUNNING', 'late' from fence returning event_no`;
    assert.equal(written.length, 0);
    await callProvider({
      key: `late:${jobId}`,
      provider: 'nobody',
      operation: 'ask',
      policy: 'hold',
      content: {},
      request: () => {
        isAsked = true;
        return { method: 'POST', url: 'http://127.0.0.1:1', headers: {} };
      },
    });
  });
  const failure = await reportedFailure(task.withDeps(deps)(eventOf(jobId, 'Late')));
  assert.equal(failure.code, 'JOB_NOT_RUNNABLE');
  assert.equal(isAsked, false);
});

test('mark-succeeded is a success again under the pair that succeeded, and refused to any other', async () => {
  const jobId = await seeded();
  const finish = markSucceeded.withDeps(deps);
  const event = eventOf(jobId, 'MarkSucceeded', { result: { pages: 1 } });
  await finish(event);
  const read = async () => {
    const [job] =
      await sql`select status, result, finished_at, revision from jobs where job_id = ${jobId}`;
    return { ...job };
  };
  const first = await read();
  assert.deepEqual([first['status'], first['result']], ['SUCCEEDED', { pages: 1 }]);
  await finish({ ...event, result: { pages: 2 } });
  assert.deepEqual(await read(), first);
  const other = { ...event, executionName: `${jobId}-r2` };
  assert.equal((await reportedFailure(finish(other))).code, 'JOB_NOT_RUNNABLE');
  const cancelled = (await seedJob(sql, { status: 'CANCELLED' })).jobId;
  const late = finish(eventOf(cancelled, 'MarkSucceeded', { result: {} }));
  assert.equal((await reportedFailure(late)).code, 'JOB_NOT_RUNNABLE');
});

test('the log names job, execution, state and code, and quotes nothing of a failure', async () => {
  const jobId = await seeded();
  await reportedFailure(
    throwing(new Terminal('EFFECT_REJECTED', 'card 4111'))(eventOf(jobId, 'Pay')),
  );
  const entries = logged.filter((line) => line.includes(jobId));
  const last = JSON.parse(entries.at(-1) ?? '{}');
  assert.deepEqual(
    [last.task, last.state, last.code, last.execution],
    ['throwing', 'Pay', 'EFFECT_REJECTED', jobId],
  );
  assert.ok(!entries.join('').includes('4111'));
});
