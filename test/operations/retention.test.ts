import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  CreateBucketCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import { pino } from 'pino';
import { v7 } from 'uuid';
import type { RetentionConfig } from '../../jobs/config.ts';
import { removeOldBatch } from '../../jobs/retention.ts';
import { connectTest } from '../support/connect-test.ts';
import { seedJob, seedOutbox } from '../support/seed-job.ts';
import { startCloud } from '../support/start-cloud.ts';

const sql = await connectTest();
const bucket = 'archive';
const cloud = await startCloud();
after(() => cloud.stop());
const s3 = new S3Client({
  endpoint: cloud.s3Endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});
await s3.send(new CreateBucketCommand({ Bucket: bucket }));
const policy: RetentionConfig = {
  jobDays: 30,
  effectDays: 400,
  auditDays: 400,
  archiveBucket: bucket,
};
const log = pino({ level: 'silent' });
const removeAll = async (changed: Partial<RetentionConfig> = {}): Promise<void> => {
  while (await removeOldBatch({ sql, s3, policy: { ...policy, ...changed }, log }));
};

/** A job of 40 days ago, with an event, a message and an effect. */
const seedOld = async (status: 'FAILED' | 'RUNNING', days = 40): Promise<string> => {
  const job = await seedJob(sql, { status, type: 'gate' });
  await seedOutbox(sql, job);
  await sql`update outbox set published_at = now() where job_id = ${job.jobId}`;
  await sql`
    update jobs set created_at = now() - make_interval(days => ${days}), owner_until = null,
                    finished_at = finished_at - make_interval(days => ${days})
    where job_id = ${job.jobId}`;
  await sql`
    insert into job_events (job_id, tenant_id, run, actor, to_status, reason)
    values (${job.jobId}, 'acme', 1, 'test', 'PENDING', 'submitted')`;
  await sql`
    insert into external_effects (effect_id, tenant_id, effect_key, job_id, execution_name, redrive_count, provider,
                                  operation, policy, status, request_hash, completed_at, created_at, updated_at)
    values (${v7()}, 'acme', ${`key:${job.jobId}`}, ${job.jobId}, ${job.jobId}, 0, 'webhook', 'test', 'repeat', 'COMPLETED',
            ${'0'.repeat(64)}, now(), now() - make_interval(days => ${days}), now() - make_interval(days => ${days}))`;
  return job.jobId;
};
const countsOf = async (jobId: string): Promise<Record<string, number>> => {
  const [row] = await sql<Record<string, number>[]>`
    select (select count(*)::integer from jobs where job_id = ${jobId}) as jobs,
           (select count(*)::integer from job_events where job_id = ${jobId}) as events,
           (select count(*)::integer from outbox where job_id = ${jobId}) as messages,
           (select count(*)::integer from external_effects where job_id = ${jobId}) as effects`;
  return { ...row };
};

/** What the archive has of a job. */
const archivedLine = async (jobId: string): Promise<Record<string, unknown>> => {
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: bucket }));
  for (const { Key } of Contents) {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key }));
    const lines = ((await Body?.transformToString()) ?? '').trim().split('\n');
    const found = lines
      .map((line) => JSON.parse(line) as Record<string, unknown> & { job: { job_id: string } })
      .find(({ job }) => job.job_id === jobId);
    if (found !== undefined) return found;
  }
  throw new Error(`the archive has no job ${jobId}`);
};

test('an old job goes with its events and messages, archived first; its effects stay known', async () => {
  const old = await seedOld('FAILED');
  const young = await seedOld('FAILED', 20);
  const open = await seedOld('RUNNING');
  await removeAll();
  assert.deepEqual(await countsOf(old), { jobs: 0, events: 0, messages: 0, effects: 1 });
  for (const kept of [young, open]) {
    assert.deepEqual(await countsOf(kept), { jobs: 1, events: 1, messages: 1, effects: 1 });
  }
  const { Contents } = await s3.send(new ListObjectsV2Command({ Bucket: bucket }));
  const Key = Contents?.[0]?.Key ?? '';
  assert.match(Key, /^jobs\/\d{4}\/\d{2}\/\d{2}\/[0-9a-f-]{36}\.jsonl$/);
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key }));
  const [line = ''] = ((await Body?.transformToString()) ?? '').trim().split('\n');
  const archived = JSON.parse(line) as {
    job: { job_id: string };
    events: unknown[];
    effects: unknown[];
  };
  assert.equal(archived.job.job_id, old);
  assert.equal(archived.events.length, 1);
  assert.equal(archived.effects.length, 1);
});

test('no job is removed that could not be archived; the rest goes nevertheless', async () => {
  const old = await seedOld('FAILED');
  await sql`
    insert into event_inbox (event_id, handler, outcome, handled_at)
    values (${v7()}, 'test', 'done', now() - interval '40 days')`;
  await assert.rejects(removeAll({ archiveBucket: 'no-such-bucket' }));
  assert.equal((await countsOf(old))['jobs'], 1);
  assert.equal((await sql`select from event_inbox`).length, 0);
});

test('a failed job that holds its ordering key, waits in a bulk redrive, or has a message to send, stays', async () => {
  const [holder, waiting] = [await seedOld('FAILED'), await seedOld('FAILED')];
  const unsent = await seedOld('FAILED');
  await sql`update outbox set published_at = null where job_id = ${unsent}`;
  await sql`insert into ordering_keys (tenant_id, ordering_key, current_job) values ('acme', 'one', ${holder})`;
  const bulkId = v7();
  await sql`
    insert into bulk_operations (bulk_id, operation, name, reason, actor, filter, mode, rate_per_second, status, total, ineligible)
    values (${bulkId}, 'redrive', 'slow', 'test', 'test', '{}', 'auto', 1, 'PAUSED', 1, '[]')`;
  await sql`insert into bulk_operation_jobs (bulk_id, position, job_id, run) values (${bulkId}, 1, ${waiting}, 1)`;
  await removeAll();
  assert.equal((await countsOf(holder))['jobs'], 1);
  assert.equal((await countsOf(waiting))['jobs'], 1);
  assert.equal((await countsOf(unsent))['jobs'], 1);
});

test('a job stays while an effect or an answer of it waits for a person', async () => {
  const [unknown, answered] = [await seedOld('FAILED'), await seedOld('FAILED')];
  await sql`
    update external_effects set status = 'UNKNOWN', completed_at = null where job_id = ${unknown}`;
  await sql`
    insert into callbacks (callback_id, tenant_id, job_id, provider, effect_key, execution_name, redrive_count, task_token,
                           answer, answered_at, held_at, held_reason)
    values (${'a'.repeat(43)}, 'acme', ${answered}, 'payment', 'order:1', ${answered}, 0, 'token', '{"outcome":"paid"}', now(),
            now(), 'nobody waits for it')`;
  await removeAll();
  assert.deepEqual([(await countsOf(unknown))['jobs'], (await countsOf(answered))['jobs']], [1, 1]);
  await sql`update external_effects set status = 'ABANDONED' where job_id = ${unknown}`;
  await sql`update callbacks set resolved_at = now() where job_id = ${answered}`;
  await removeAll();
  assert.deepEqual([(await countsOf(unknown))['jobs'], (await countsOf(answered))['jobs']], [0, 0]);
  assert.equal((await sql`select from callbacks`).length, 0);
  const { callbacks } = await archivedLine(answered);
  assert.deepEqual(
    (callbacks as Record<string, unknown>[]).map((row) => [row['provider'], row['task_token']]),
    [['payment', undefined]],
  );
});

test('more than a batch goes in several, and 0 days keep everything', async () => {
  await sql`
    insert into jobs (job_id, tenant_id, type, status, execution_name, input, request_hash, correlation_id, created_at,
                      finished_at)
    select id, 'acme', 'bulk', 'SUCCEEDED', id::text, '{}', ${'0'.repeat(64)}, 'seed', now() - interval '50 days',
           now() - interval '50 days'
    from (select gen_random_uuid() as id from generate_series(1, 450)) ids`;
  const left = async (): Promise<unknown> =>
    (await sql`select count(*)::integer as count from jobs where type = 'bulk'`)[0]?.['count'];
  await removeAll({ jobDays: 0 });
  assert.equal(await left(), 450);
  await removeAll();
  assert.equal(await left(), 0);
});

test('an effect is forgotten when its job is gone and its own time is over', async () => {
  const old = await seedOld('FAILED', 500);
  await removeAll();
  assert.deepEqual(await countsOf(old), { jobs: 0, events: 0, messages: 0, effects: 0 });
});

test('a job that was cancelled while it waited for its turn goes with the message that nobody sends', async () => {
  const jobId = await seedOld('FAILED');
  await sql`update outbox set published_at = null, next_attempt_at = 'infinity' where job_id = ${jobId}`;
  await removeAll();
  assert.deepEqual(await countsOf(jobId), { jobs: 0, events: 0, messages: 0, effects: 1 });
});

test('what event handlers have done is forgotten with the jobs', async () => {
  await sql`
    insert into event_inbox (event_id, handler, outcome, handled_at)
    select gen_random_uuid(), 'test', 'done', now() - make_interval(days => days) from unnest('{20,40}'::int[]) as days`;
  await removeAll();
  const [left] =
    await sql`select count(*)::integer as count, max(handled_at) > now() - interval '30 days' as young from event_inbox`;
  assert.deepEqual({ ...left }, { count: 1, young: true });
});
