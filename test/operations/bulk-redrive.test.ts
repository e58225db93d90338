import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { v7 } from 'uuid';
import { type BulkDeps, turnBulkRedrives } from '../../jobs/bulk-redrive.ts';
import { changeBulk, claimBulkJobs, findBulk, insertBulk } from '../../jobs/store/bulk-redrives.ts';
import { countMatching } from '../../jobs/store/match-bulk.ts';
import { connectTo } from '../support/connect-test.ts';
import { seedJob } from '../support/seed-job.ts';
import { testDatabase } from '../support/test-database.ts';
import { waitFor } from '../support/wait-for.ts';

const { url } = await testDatabase();
const sql = connectTo(url);
const wish = { mode: 'auto', knownTypes: ['gate', 'document-metadata'] } as const;

/** A worker on connections of its own, with what it handed to the relay. */
const createWorker = (): BulkDeps & { readonly published: string[] } => {
  const published: string[] = [];
  return {
    sql: connectTo(url, 4),
    log: pino({ level: 'silent' }),
    published,
    publishSoon: ({ envelope }) => void published.push(envelope.payload.jobId),
  };
};

const seedFailed = async (count: number, tag: string): Promise<void> => {
  await sql`
    insert into jobs (job_id, tenant_id, type, status, execution_name, input, request_hash, correlation_id, tags,
                      failure, finished_at)
    select id, 'acme', 'gate', 'FAILED', id::text, '{}', ${'0'.repeat(64)}, 'seed', ${sql.json({ wave: tag })},
           ${sql.json({ code: 'TASK_FAULT', message: 'seeded', retryable: false, state: null })}, now()
    from (select gen_random_uuid() as id from generate_series(1, ${count})) ids`;
};

const startBulk = async (tag: string, ratePerSecond: number): Promise<string> => {
  const bulkId = v7();
  const filter = { tag: `wave:${tag}` };
  const asked = { ...wish, filter, asked: filter, name: tag, reason: 'test', actor: 'test' };
  await insertBulk(sql, { ...asked, bulkId, ratePerSecond, maxJobs: 10_000 });
  return bulkId;
};

const statusOf = async (bulkId: string): Promise<string | undefined> =>
  (await findBulk(sql, bulkId))?.status;

test('several workers keep one pace together and redrive each job once', async () => {
  await seedFailed(60, 'pace');
  const bulkId = await startBulk('pace', 30);
  const workers = [createWorker(), createWorker(), createWorker()];
  const startedAt = performance.now();
  await waitFor(
    async () => {
      await Promise.all(workers.map((worker) => turnBulkRedrives(worker)));
      return (await statusOf(bulkId)) === 'COMPLETED';
    },
    15_000,
    'the bulk redrive to be completed',
  );
  const seconds = (performance.now() - startedAt) / 1000;
  assert.ok(seconds > 1.5, `60 jobs at 30 a second took ${seconds} s`);
  const published = workers.flatMap((worker) => worker.published);
  assert.equal(published.length, 60);
  assert.equal(new Set(published).size, 60);
  const bulk = await findBulk(sql, bulkId);
  assert.deepEqual([bulk?.redriven, bulk?.skipped], [60, 0]);
  const rows = await sql`
    select run, count(*)::integer as count from jobs where tags ->> 'wave' = 'pace' group by run`;
  assert.deepEqual([...rows], [{ run: 2, count: 60 }]);
});

test('what a killed worker had in hand is taken up after its claim, and not redriven a second time', async () => {
  await seedFailed(4, 'killed');
  const bulkId = await startBulk('killed', 500);
  const claimed = await waitFor(
    async () => {
      const jobs = await claimBulkJobs(sql);
      return jobs.length > 0 && jobs;
    },
    5_000,
    'a claim',
  );
  // It redrove the first and died before it wrote that down; the job has failed again since.
  const [first] = claimed;
  assert.ok(first);
  await sql`update jobs set run = 2 where job_id = ${first.jobId}`;
  await sql`update bulk_redrive_jobs set claimed_until = now() - interval '1 second' where bulk_id = ${bulkId} and claimed_until is not null`;
  const worker = createWorker();
  await waitFor(
    async () => {
      await turnBulkRedrives(worker);
      return (await statusOf(bulkId)) === 'COMPLETED';
    },
    10_000,
    'the rest to be done',
  );
  assert.ok(!worker.published.includes(first.jobId));
  assert.equal((await findBulk(sql, bulkId))?.redriven, 4);
});

test('a job that has moved on since the start is skipped, and told', async () => {
  await seedFailed(2, 'moved');
  const bulkId = await startBulk('moved', 500);
  await sql`
    update jobs set status = 'RUNNING', run = 2, failure = null, finished_at = null
    where job_id = (select job_id from jobs where tags ->> 'wave' = 'moved' limit 1)`;
  const worker = createWorker();
  await waitFor(
    async () => {
      await turnBulkRedrives(worker);
      return (await statusOf(bulkId)) === 'COMPLETED';
    },
    10_000,
    'the bulk redrive to be completed',
  );
  const bulk = await findBulk(sql, bulkId);
  assert.deepEqual([bulk?.redriven, bulk?.skipped], [1, 1]);
  const [skipped] = await sql`
    select outcome from bulk_redrive_jobs where bulk_id = ${bulkId} and outcome <> 'redriven'`;
  assert.equal(skipped?.['outcome'], 'skipped: it is RUNNING in run 2');
});

test('a paused one takes nothing, a resumed one goes on at its pace, a cancelled one is over', async () => {
  await seedFailed(50, 'paused');
  const bulkId = await startBulk('paused', 20);
  const change = { actor: 'test', reason: 'test' };
  await changeBulk(sql, bulkId, { ...change, to: 'PAUSED', action: 'bulk.pause' });
  await sql`update bulk_redrives set paced_until = now() - interval '1 hour' where bulk_id = ${bulkId}`;
  assert.equal((await claimBulkJobs(sql)).length, 0);

  await changeBulk(sql, bulkId, { ...change, to: 'RUNNING', action: 'bulk.resume' });
  // The hour of the pause was not saved up.
  assert.equal((await claimBulkJobs(sql)).length, 0);
  const worker = createWorker();
  await waitFor(async () => (await turnBulkRedrives(worker)) > 0, 5_000, 'it to go on');

  await changeBulk(sql, bulkId, { ...change, to: 'CANCELLED', action: 'bulk.cancel' });
  await sql`update bulk_redrives set paced_until = now() - interval '1 hour' where bulk_id = ${bulkId}`;
  assert.equal((await claimBulkJobs(sql)).length, 0);
  const again = await changeBulk(sql, bulkId, { ...change, to: 'RUNNING', action: 'bulk.resume' });
  assert.equal(again, undefined);
  const actions = await sql`
    select action from operator_actions where target = ${`bulk/${bulkId}`} order by action_no`;
  assert.deepEqual(
    actions.map(({ action }) => String(action)),
    ['bulk.start', 'bulk.pause', 'bulk.resume', 'bulk.cancel'],
  );
});

test('a dry run tells who would not be redriven, and why', async () => {
  await seedFailed(3, 'dry');
  const [held, abandoned, open] = await sql<{ jobId: string }[]>`
    select job_id as "jobId" from jobs where tags ->> 'wave' = 'dry'`;
  assert.ok(held && abandoned && open);
  for (const [jobId, status] of [
    [held.jobId, 'UNKNOWN'],
    [abandoned.jobId, 'ABANDONED'],
  ] as const) {
    await sql`
      insert into external_effects (effect_id, tenant_id, effect_key, job_id, execution_name, redrive_count, provider,
                                    operation, policy, status, request_hash)
      values (${v7()}, 'acme', ${jobId}, ${jobId}, ${jobId}, 0, 'webhook', 'test', 'hold', ${status}, ${'0'.repeat(64)})`;
  }
  const rival = await seedJob(sql, { type: 'gate' });
  await sql`update jobs set unique_key = 'one' where job_id in (${open.jobId}, ${rival.jobId})`;
  const match = await countMatching(sql, { ...wish, filter: { tag: 'wave:dry' } });
  assert.deepEqual([match.matched, match.eligible], [3, 0]);
  assert.deepEqual(match.ineligible.map(({ reason }) => reason).sort(), [
    'an effect was abandoned: it would fail again',
    'another open job has its uniqueKey',
    'the outcome of an effect is unknown: resolve it first',
  ]);
  const running = await countMatching(sql, {
    ...wish,
    filter: { status: 'RUNNING', tag: 'wave:moved' },
  });
  assert.deepEqual(running.ineligible, [{ reason: 'it is RUNNING', count: 1 }]);
});

test('a failure that was compensated is not resumed', async () => {
  await seedFailed(1, 'compensated');
  const declined = { code: 'PAYMENT_DECLINED', message: 'declined', retryable: true, state: null };
  await sql`update jobs set failure = ${sql.json(declined)} where tags ->> 'wave' = 'compensated'`;
  const filter = { tag: 'wave:compensated' };
  const [resume, auto] = await Promise.all([
    countMatching(sql, { ...wish, mode: 'resume', filter }),
    countMatching(sql, { ...wish, filter }),
  ]);
  assert.deepEqual([resume.eligible, auto.eligible], [0, 1]);
});

test('more jobs than one bulk redrive takes are refused, and nothing is stored', async () => {
  await seedFailed(5, 'many');
  const bulkId = v7();
  const filter = { tag: 'wave:many' };
  const asked = { ...wish, filter, asked: filter, name: 'many', reason: 'test', actor: 'test' };
  const refused = await insertBulk(sql, { ...asked, bulkId, ratePerSecond: 1, maxJobs: 4 });
  assert.deepEqual(refused, { stored: false, total: 5 });
  assert.equal(await findBulk(sql, bulkId), undefined);
});
