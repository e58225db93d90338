import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import type { JobId } from '../../jobs/ids.ts';
import { handler as importChunk } from '../../tasks/import-chunk.ts';
import { handler as markRunning } from '../../tasks/mark-running.ts';
import { handler as planImport } from '../../tasks/plan-import.ts';
import { handler as validatePayload } from '../../tasks/validate-payload.ts';
import { seedJob } from '../support/seed-job.ts';
import { bucket, putPayload, reportedFailure, startTaskWorld } from '../tasks/task-fixture.ts';

const { deps, sql, s3 } = await startTaskWorld();
const csv = Buffer.from('id,v\n1,a\n2\n');

/** A job whose import is planned, and the input of the Map's only child. */
async function plannedJob() {
  const input = { dataset: 'd', keyField: 'id' };
  const { jobId } = await seedJob(sql, { type: 'batch-import', input });
  const reference = await putPayload(s3, csv, 'text/csv');
  await sql`update jobs set payload_ref = ${sql.json(reference)} where job_id = ${jobId}`;
  const head = { jobId, type: 'batch-import', executionName: jobId, redriveCount: 0, state: 'S' };
  await markRunning.withDeps(deps)(head);
  await validatePayload.withDeps(deps)({ ...head, maxPayloadBytes: 1_000 });
  await planImport.withDeps(deps)(head);
  const chunk = { chunk: 0, start: 5, end: 10, line: 2, rows: 2, tooLong: false };
  return { jobId, reference, child: { ...head, chunk } };
}

const jobOf = async (jobId: JobId) => {
  const [job] = await sql<{ status: string; progress: unknown; chunks: number }[]>`
    select status, progress, (select count(*)::integer from import_chunks c where c.job_id = jobs.job_id) as chunks
    from jobs where job_id = ${jobId}`;
  return { ...job };
};
const importOf = importChunk.withDeps(deps);

test('a chunk that comes again changes nothing', async () => {
  const { jobId, child } = await plannedJob();
  await importOf(child);
  const once = await jobOf(jobId);
  assert.deepEqual(once, {
    status: 'RUNNING',
    progress: { done: 2, total: 2, failed: 1 },
    chunks: 1,
  });
  await importOf(child);
  assert.deepEqual(await jobOf(jobId), once);
});

test('a child keeps its first redrive count, and goes on under a higher one and for a FAILED job, which it does not move', async () => {
  const { jobId, child } = await plannedJob();
  await sql`update jobs set redrive_count = 2 where job_id = ${jobId}`;
  await importOf(child);
  assert.equal((await jobOf(jobId)).chunks, 1);
  const failure = { code: 'MAP_RUN_FAILED', message: '', retryable: true, state: null };
  await sql`
    update jobs set status = 'FAILED', failure = ${sql.json(failure)}, finished_at = now() where job_id = ${jobId}`;
  await importOf(child);
  assert.equal((await jobOf(jobId)).status, 'FAILED');
});

test('a child of another execution, or of a stopped job, writes nothing', async () => {
  for (const [change, why] of [
    [sql`execution_name = 'another'`, /moved on to another/],
    [sql`status = 'CANCELLED', finished_at = now()`, /is CANCELLED/],
    [sql`status = 'EXPIRED', finished_at = now()`, /is EXPIRED/],
  ] as const) {
    const { jobId, child } = await plannedJob();
    await sql`update jobs set ${change} where job_id = ${jobId}`;
    const failure = await reportedFailure(importOf(child));
    assert.deepEqual([failure.errorType, failure.code], ['Terminal', 'JOB_NOT_RUNNABLE']);
    assert.match(failure.message, why);
    assert.equal((await jobOf(jobId)).chunks, 0);
  }
});

test('a payload that was replaced after it was planned is never read', async () => {
  const { jobId, reference, child } = await plannedJob();
  const Body = Buffer.from('id,v\n9,z\n8\n');
  await s3.send(new PutObjectCommand({ Bucket: bucket, Key: reference.key, Body }));
  const failure = await reportedFailure(importOf(child));
  assert.deepEqual([failure.errorType, failure.code], ['Terminal', 'PAYLOAD_CHANGED']);
  assert.equal((await jobOf(jobId)).chunks, 0);
});
