import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { v7 } from 'uuid';
import { type BulkDeps, turnBulkOperations } from '../../jobs/bulk-operation.ts';
import type { BulkVerb } from '../../jobs/bulk-filter.ts';
import {
  changeBulk,
  claimBulkJobs,
  countBulkOutcomes,
  findBulk,
  insertBulk,
} from '../../jobs/store/bulk-operations.ts';
import { collectBulk } from '../../jobs/store/collect-bulk.ts';
import { countMatching } from '../../jobs/store/count-matching.ts';
import { connectTo } from '../support/connect-test.ts';
import { seedJob, seedOutbox } from '../support/seed-job.ts';
import { testDatabase } from '../support/test-database.ts';
import { waitFor } from '../support/wait-for.ts';

const { url } = await testDatabase();
const sql = connectTo(url);
const knownTypes = ['gate', 'document-metadata'];
const wish = { verb: 'redrive', mode: 'auto', knownTypes } as const;

/** A worker on connections of its own, with what it handed to the relay. */
const createWorker = (): BulkDeps & { readonly published: string[] } => {
  const published: string[] = [];
  return {
    sql: connectTo(url, 4),
    log: pino({ level: 'silent' }),
    knownTypes,
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

const insert = async (
  tag: string,
  ratePerSecond: number,
  verb: BulkVerb = 'redrive',
): Promise<string> => {
  const bulkId = v7();
  const filter = { tag: `wave:${tag}` };
  const mode = verb === 'redrive' ? 'auto' : null;
  const asked = { verb, mode, filter, name: tag, reason: 'test', actor: 'test' } as const;
  await insertBulk(sql, { ...asked, bulkId, ratePerSecond });
  return bulkId;
};

const startBulk = async (
  tag: string,
  ratePerSecond: number,
  verb: BulkVerb = 'redrive',
): Promise<string> => {
  const bulkId = await insert(tag, ratePerSecond, verb);
  while (await collectBulk(sql, knownTypes, bulkId));
  return bulkId;
};

const completed = async (bulkId: string, worker = createWorker()): Promise<void> => {
  await waitFor(
    async () => {
      await turnBulkOperations(worker);
      return (await statusOf(bulkId)) === 'COMPLETED';
    },
    15_000,
    'the bulk operation to be completed',
  );
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
      await Promise.all(workers.map((worker) => turnBulkOperations(worker)));
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
  assert.deepEqual([bulk?.done, bulk?.skipped], [60, 0]);
  const rows = await sql`
    select run, count(*)::integer as count from jobs where tags ->> 'wave' = 'pace' group by run`;
  assert.deepEqual([...rows], [{ run: 2, count: 60 }]);
});

test('the jobs of a turn are reopened in one commit', async () => {
  await seedFailed(50, 'together');
  const bulkId = await startBulk('together', 500);
  await sql`update bulk_operations set paced_until = now() - interval '1 second' where bulk_id = ${bulkId}`;
  const worker = createWorker();
  assert.equal(await turnBulkOperations(worker), 50);
  assert.equal(worker.published.length, 50);
  const [row] = await sql`
    select count(distinct xmin::text)::integer as commits from jobs where tags ->> 'wave' = 'together' and run = 2`;
  assert.equal(row?.['commits'], 1);
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
  await sql`update bulk_operation_jobs set claimed_until = now() - interval '1 second' where bulk_id = ${bulkId} and claimed_until is not null`;
  const worker = createWorker();
  await waitFor(
    async () => {
      await turnBulkOperations(worker);
      return (await statusOf(bulkId)) === 'COMPLETED';
    },
    10_000,
    'the rest to be done',
  );
  assert.ok(!worker.published.includes(first.jobId));
  assert.equal((await findBulk(sql, bulkId))?.done, 4);
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
      await turnBulkOperations(worker);
      return (await statusOf(bulkId)) === 'COMPLETED';
    },
    10_000,
    'the bulk redrive to be completed',
  );
  const bulk = await findBulk(sql, bulkId);
  assert.deepEqual([bulk?.done, bulk?.skipped], [1, 1]);
  const [skipped] = await sql`
    select outcome from bulk_operation_jobs where bulk_id = ${bulkId} and outcome <> 'done'`;
  assert.equal(skipped?.['outcome'], 'skipped: it is RUNNING in run 2');
});

test('a paused one takes nothing, a resumed one goes on at its pace, a cancelled one is over', async () => {
  await seedFailed(50, 'paused');
  const bulkId = await startBulk('paused', 20);
  const change = { actor: 'test', reason: 'test' };
  await changeBulk(sql, bulkId, { ...change, to: 'PAUSED', action: 'bulk.pause' });
  await sql`update bulk_operations set paced_until = now() - interval '1 hour' where bulk_id = ${bulkId}`;
  assert.equal((await claimBulkJobs(sql)).length, 0);

  await changeBulk(sql, bulkId, { ...change, to: 'RUNNING', action: 'bulk.resume' });
  // The hour of the pause was not saved up.
  assert.equal((await claimBulkJobs(sql)).length, 0);
  const worker = createWorker();
  await waitFor(async () => (await turnBulkOperations(worker)) > 0, 5_000, 'it to go on');

  await changeBulk(sql, bulkId, { ...change, to: 'CANCELLED', action: 'bulk.cancel' });
  await sql`update bulk_operations set paced_until = now() - interval '1 hour' where bulk_id = ${bulkId}`;
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

test('held PENDING jobs are redriven in bulk, their messages sent again; the others are left alone', async () => {
  const [held, waiting] = [
    await seedJob(sql, { type: 'gate' }),
    await seedJob(sql, { type: 'gate' }),
  ];
  await seedOutbox(sql, held);
  await sql`update outbox set published_at = now() where job_id = ${held.jobId}`;
  const tags = sql.json({ wave: 'held' });
  await sql`
    update jobs set tags = ${tags} where job_id in (${held.jobId}, ${waiting.jobId})`;
  await sql`
    update jobs set held_since = now(), held_because = 'its message lies in the DLQ' where job_id = ${held.jobId}`;
  const filter = { tag: 'wave:held', status: 'PENDING' } as const;
  assert.deepEqual(await countMatching(sql, { ...wish, filter }), {
    matched: 2,
    eligible: 1,
    ineligible: [{ reason: 'it is PENDING', count: 1 }],
  });
  const bulkId = v7();
  const asked = {
    name: 'held',
    reason: 'mended',
    actor: 'test',
    verb: 'redrive',
    mode: 'auto',
  } as const;
  await insertBulk(sql, { ...asked, bulkId, filter, ratePerSecond: 500 });
  await completed(bulkId);
  assert.deepEqual(
    [(await findBulk(sql, bulkId))?.done, await statusOfJob(held.jobId)],
    [1, 'PENDING'],
  );
  const [after] = await sql`
    select held_since, published_at from jobs join outbox using (job_id) where job_id = ${held.jobId}`;
  assert.deepEqual({ ...after }, { held_since: null, published_at: null });
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

test('a list of any length is collected page by page, each job once, and completes with the last', async () => {
  await seedFailed(250, 'many');
  const rival = await seedJob(sql, { type: 'gate' });
  await sql`
    update jobs set unique_key = 'many' where job_id = ${rival.jobId} or job_id in (
      select job_id from jobs where tags ->> 'wave' = 'many' order by created_at, job_id offset 120 limit 1)`;
  const counted = await countMatching(sql, { ...wish, filter: { tag: 'wave:many' } }, 100);
  assert.deepEqual([counted.matched, counted.eligible], [250, 249]);

  const bulkId = await insert('many', 1);
  // What fails after the start is none of its jobs.
  await seedFailed(1, 'many');
  const [first, second] = await Promise.all([
    collectBulk(sql, knownTypes, bulkId, 50),
    collectBulk(sql, knownTypes, bulkId, 50),
  ]);
  assert.deepEqual([first, second], [true, true]);
  const begun = await findBulk(sql, bulkId);
  assert.deepEqual([begun?.collecting, begun?.status], [true, 'RUNNING']);
  // One page where both were after the same one, else two.
  assert.ok(begun?.total === 50 || begun?.total === 100, `${begun?.total} jobs`);
  await waitFor(
    async () => {
      await turnBulkOperations(createWorker());
      return (await findBulk(sql, bulkId))?.collecting === false;
    },
    10_000,
    'the list to be complete',
  );
  const bulk = await findBulk(sql, bulkId);
  assert.deepEqual(
    [bulk?.total, bulk?.ineligible],
    [249, [{ reason: 'another open job has its uniqueKey', count: 1 }]],
  );
  const [listed] = await sql`
    select count(distinct job_id)::integer as jobs, max(position) as last from bulk_operation_jobs where bulk_id = ${bulkId}`;
  assert.deepEqual({ ...listed }, { jobs: 249, last: 249 });
  const [audit] = await sql`select result from operator_actions where target = ${`bulk/${bulkId}`}`;
  assert.equal(audit?.['result'], '249 jobs');
  await sql`update bulk_operations set status = 'PAUSED' where bulk_id = ${bulkId}`;
});

test('one that matches nothing is complete at once', async () => {
  const bulkId = await startBulk('nothing', 1);
  const bulk = await findBulk(sql, bulkId);
  assert.deepEqual([bulk?.status, bulk?.total, bulk?.collecting], ['COMPLETED', 0, false]);
});

test('one that is ended while its list is collected collects no more', async () => {
  await seedFailed(11, 'ended');
  const bulkId = await insert('ended', 1);
  assert.equal(await collectBulk(sql, knownTypes, bulkId, 10), true);
  const change = { to: 'CANCELLED', action: 'bulk.cancel', actor: 'test', reason: 'test' } as const;
  assert.equal((await changeBulk(sql, bulkId, change))?.collecting, false);
  assert.equal(await collectBulk(sql, knownTypes, bulkId), false);
});

test('one whose list cannot be collected does not hold up the others', async () => {
  await seedFailed(2, 'goes on');
  const stuck = await insert('stuck', 1);
  const filter = { ofANewerVersion: true };
  await sql`update bulk_operations set filter = ${sql.json(filter)} where bulk_id = ${stuck}`;
  await assert.rejects(collectBulk(sql, knownTypes, stuck), /not known/);
  await completed(await insert('goes on', 100));
  await sql`update bulk_operations set status = 'PAUSED', collecting = false where bulk_id = ${stuck}`;
});

/** Jobs of a wave in each state that matters to a cancel; gives their ids. */
const seedOpen = async (
  tag: string,
): Promise<Record<'pending' | 'running' | 'begun' | 'failed' | 'blocking', string>> => {
  const seed = async (status: 'PENDING' | 'RUNNING' | 'FAILED'): Promise<string> => {
    const { jobId } = await seedJob(sql, { status, type: 'gate' });
    await sql`update jobs set tags = ${sql.json({ wave: tag })} where job_id = ${jobId}`;
    return jobId;
  };
  const ids = {
    pending: await seed('PENDING'),
    running: await seed('RUNNING'),
    begun: await seed('RUNNING'),
    failed: await seed('FAILED'),
    blocking: await seed('FAILED'),
  };
  await sql`
    update jobs set stoppable = 'until-started', started_at = now() where job_id = ${ids.begun}`;
  await sql`update jobs set ordering_key = ${tag} where job_id = ${ids.blocking}`;
  await sql`
    insert into ordering_keys (tenant_id, ordering_key, current_job)
    select tenant_id, ordering_key, job_id from jobs where job_id = ${ids.blocking}`;
  return ids;
};

const statusOfJob = async (jobId: string): Promise<unknown> =>
  (await sql`select status from jobs where job_id = ${jobId}`)[0]?.['status'];

test('open jobs are cancelled in bulk, each with its stop message and audit; what has begun to compensate is not', async () => {
  const ids = await seedOpen('open');
  const filter = { tag: 'wave:open' };
  const asked = { verb: 'cancel', mode: null, knownTypes } as const;
  const counted = await countMatching(sql, { ...asked, filter });
  assert.deepEqual(counted, {
    matched: 3,
    eligible: 2,
    ineligible: [{ reason: 'it has begun, and undoes by itself what cannot be done', count: 1 }],
  });
  const failed = await countMatching(sql, { ...asked, filter: { ...filter, status: 'FAILED' } });
  assert.deepEqual(failed, {
    matched: 2,
    eligible: 1,
    ineligible: [{ reason: 'it is FAILED, and no job of its ordering key waits for it', count: 1 }],
  });

  const bulkId = await startBulk('open', 500, 'cancel');
  const worker = createWorker();
  await completed(bulkId, worker);
  const view = await findBulk(sql, bulkId);
  assert.deepEqual(
    [view?.operation, view?.mode, view?.done, view?.skipped],
    ['cancel', null, 2, 0],
  );
  assert.deepEqual(
    await Promise.all([ids.pending, ids.running, ids.begun, ids.blocking].map(statusOfJob)),
    ['CANCELLED', 'CANCELLED', 'RUNNING', 'FAILED'],
  );
  assert.deepEqual(new Set(worker.published), new Set([ids.pending, ids.running]));
  const events = await sql`
    select actor, to_status, reason from job_events where job_id = ${ids.running} and to_status = 'CANCELLED'`;
  assert.deepEqual(
    [...events],
    [{ actor: `bulk cancel ${bulkId}`, to_status: 'CANCELLED', reason: 'open: test' }],
  );
  assert.deepEqual(await countBulkOutcomes(sql, bulkId), {
    skipped: [],
    statuses: [{ name: 'CANCELLED', count: 2 }],
  });
});

test('a job that ended or was redriven before its turn is not cancelled, and one that a killed worker cancelled counts once', async () => {
  const ids = await seedOpen('late');
  const bulkId = await startBulk('late', 500, 'cancel');
  // Claimed by a worker that cancelled it and was killed before it wrote that down.
  await sql`
    update jobs set status = 'CANCELLED', finished_at = now() where job_id = ${ids.pending}`;
  await sql`
    update bulk_operation_jobs set claimed_until = now() - interval '1 second'
    where bulk_id = ${bulkId} and job_id = ${ids.pending}`;
  await sql`update jobs set run = 2 where job_id = ${ids.running}`;
  const worker = createWorker();
  await completed(bulkId, worker);
  assert.deepEqual(worker.published, []);
  assert.equal(await statusOfJob(ids.running), 'RUNNING');
  const { skipped } = await countBulkOutcomes(sql, bulkId);
  assert.deepEqual(skipped, [{ name: 'skipped: it is RUNNING in run 2', count: 1 }]);
  assert.equal((await findBulk(sql, bulkId))?.done, 1);
});

test('jobs are chosen by a part of their failure’s message', async () => {
  await seedFailed(2, 'text');
  const message = 'The Provider_said 100% no';
  const failure = { code: 'TASK_FAULT', message, retryable: false, state: null };
  await sql`
    update jobs set failure = ${sql.json(failure)}
    where job_id = (select job_id from jobs where tags ->> 'wave' = 'text' limit 1)`;
  const filter = { tag: 'wave:text', failureText: 'provider_said 100%' };
  assert.equal((await countMatching(sql, { ...wish, filter })).matched, 1);
  const wild = { ...filter, failureText: 'provider%no' };
  assert.equal((await countMatching(sql, { ...wish, filter: wild })).matched, 0);
});
