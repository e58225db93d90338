import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobId } from '../../jobs/ids.ts';
import { type RedriveMode, requestRedrive } from '../../jobs/redrive.ts';
import { createRedriveTogether } from '../../jobs/redrive-together.ts';
import type { Sql } from '../../jobs/store/connect.ts';
import { connectTo } from '../support/connect-test.ts';
import { seedJob } from '../support/seed-job.ts';
import { testDatabase } from '../support/test-database.ts';

const { url } = await testDatabase();
const sql = connectTo(url);

const seedFailed = async (count: number): Promise<JobId[]> => {
  const jobs: JobId[] = [];
  for (let n = 0; n < count; n += 1) jobs.push((await seedJob(sql, { status: 'FAILED' })).jobId);
  return jobs;
};

/** Redrives all at the same moment; gives the outcomes by their places. */
const redriveAll = async (
  jobIds: readonly JobId[],
  { on = sql, mode = 'auto' }: { on?: Sql; mode?: RedriveMode } = {},
) => {
  const together = createRedriveTogether(on);
  const by = { tenantId: undefined, mode, reason: 'test', actor: 'test', expiresAt: null };
  return await Promise.all(
    jobIds.map((jobId) => requestRedrive(on, { ...by, jobId, onlyRun: 1 }, together)),
  );
};
const kinds = (outcomes: readonly { readonly outcome: string }[]) =>
  outcomes.map(({ outcome }) => outcome);

/** In how many transactions the jobs were written last. */
async function transactionsOf(jobIds: readonly JobId[]): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(distinct xmin::text)::integer as count from jobs
    where job_id in (select value::uuid from jsonb_array_elements_text(${sql.json(jobIds)}))`;
  return row?.count ?? 0;
}

for (const mode of ['resume', 'restart'] as const) {
  test(`fifty jobs are reopened in one commit, each with its event, its message and its fence: ${mode}`, async () => {
    const jobIds = await seedFailed(50);
    const outcomes = await redriveAll(jobIds, { mode });
    assert.deepEqual(new Set(kinds(outcomes)), new Set(['redriven']));
    assert.equal(await transactionsOf(jobIds), 1);
    for (const [place, outcome] of outcomes.entries()) {
      assert.ok(outcome.outcome === 'redriven');
      assert.equal(outcome.row?.envelope.payload.jobId, jobIds[place]);
    }
    const rows = await sql`
      select jobs.status, jobs.run, execution_name = jobs.job_id::text as "sameExecution", redrive_count as "redriveCount",
             jobs.failure, from_status as "from", envelope -> 'payload' ->> 'mode' as mode, attempts,
             envelope -> 'payload' ->> 'executionName' = execution_name as "ofExecution",
             (details ->> 'redriveCount')::integer = redrive_count as "ofCount",
             owner_until > now() as owned, next_attempt_at > now() as leased, count(*)::integer as jobs
      from jobs join job_events using (job_id) join outbox using (job_id)
      where to_status = 'PENDING'
        and job_id in (select value::uuid from jsonb_array_elements_text(${sql.json(jobIds)}))
      group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12`;
    const resumes = mode === 'resume';
    assert.deepEqual(
      [...rows],
      [
        {
          status: 'PENDING',
          run: 2,
          sameExecution: resumes,
          redriveCount: resumes ? 1 : 0,
          failure: null,
          from: 'FAILED',
          mode,
          attempts: 1,
          ofExecution: true,
          ofCount: true,
          owned: true,
          leased: true,
          jobs: 50,
        },
      ],
    );
  });
}

test('a job that has moved on, or is there twice, keeps none of its neighbours', async () => {
  const [first, moved, last] = await seedFailed(3);
  assert.ok(first !== undefined && moved !== undefined && last !== undefined);
  await sql`update jobs set status = 'SUCCEEDED', failure = null, result = '{}' where job_id = ${moved}`;
  const outcomes = await redriveAll([first, moved, last, last]);
  const [one, two, ...twice] = kinds(outcomes);
  assert.deepEqual([one, two], ['redriven', 'not-redrivable']);
  assert.deepEqual(twice.toSorted(), ['not-redrivable', 'redriven']);
  const [messages] = await sql`
    select count(*)::integer as count from outbox where destination = 'job-requests' and job_id in (${first}, ${moved}, ${last})`;
  assert.equal(messages?.['count'], 2);
});

test('a unique key that is taken keeps its job where it is, and no other', async () => {
  const [free, taken] = await seedFailed(2);
  const { jobId: open } = await seedJob(sql, { status: 'RUNNING' });
  assert.ok(free !== undefined && taken !== undefined);
  await sql`update jobs set unique_key = 'u' where job_id in (${taken}, ${open})`;
  assert.deepEqual(kinds(await redriveAll([taken, free])), ['unique-key-taken', 'redriven']);
  assert.equal(await transactionsOf([free, taken]), 2);
});

test('two processes that redrive the same jobs in opposite order redrive each once', async () => {
  const jobIds = await seedFailed(40);
  const [forth, back] = await Promise.all([
    redriveAll(jobIds, { on: connectTo(url, 4) }),
    redriveAll(jobIds.toReversed(), { on: connectTo(url, 4) }),
  ]);
  const redriven = [...forth, ...back].filter(({ outcome }) => outcome === 'redriven');
  assert.equal(redriven.length, 40);
  const [messages] = await sql`
    select count(*)::integer as count, count(distinct job_id)::integer as jobs from outbox
    where job_id in (select value::uuid from jsonb_array_elements_text(${sql.json(jobIds)}))`;
  assert.deepEqual({ ...messages }, { count: 40, jobs: 40 });
});
