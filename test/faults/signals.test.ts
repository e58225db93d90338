import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { readTasksConfig } from '../../jobs/config.ts';
import { createHttpClient } from '../../tasks/runtime/http-client.ts';
import { rememberRuns } from '../../tasks/runtime/remember-runs.ts';
import { createS3Client } from '../../tasks/runtime/task-deps.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Accepted, comeToRest, violations } from './invariants.ts';
import { handler } from './job-types/fault-probe/tasks/probe-notify.ts';
import { startLab } from './lab.ts';
import { obedient, probe, textOf } from './scenarios.ts';

const lab = await startLab();
after(() => lab.stop());
obedient(lab);
const accepted: Accepted[] = [];

async function submit(prefix: string, endsAs?: readonly string[]) {
  const key = `${prefix}-${randomUUID()}`;
  const jobId = await lab.submit(probe(key), key);
  accepted.push({ jobId, text: textOf(key), ...(endsAs === undefined ? {} : { endsAs }) });
  return { jobId, key };
}

const tasksConfig = readTasksConfig({
  DATABASE_URL: lab.pawl.runtime().databaseUrl,
  PAYLOAD_BUCKET: 'none',
  WEBHOOK_URL: lab.provider.url,
  WEBHOOK_SECRET: 'none',
  PAYMENT_URL: lab.provider.url,
  CALLBACK_BASE_URL: lab.provider.url,
  SMTP_URL: 'smtp://127.0.0.1:1',
});
const http = createHttpClient();
after(() => http.close());
const notify = handler.withDeps({
  config: tasksConfig,
  sql: lab.sql,
  s3: createS3Client(),
  http,
  openRun: rememberRuns(),
  log: pino({ level: 'silent' }),
});

const effectOf = async (jobId: string): Promise<string | undefined> => {
  const [row] = await lab.sql<{ status: string }[]>`
    select status from external_effects where job_id = ${jobId}`;
  return row?.status;
};

/** Time compressed: the lease of an attempt that stands still is over. */
const endLease = (jobId: string) => lab.sql`
  update external_effects set lease_until = now() - interval '1 minute'
  where job_id = ${jobId} and status = 'CALLING'`;

test('a worker that is told to stop finishes what it has begun, gives the rest back and exits 0', async () => {
  const jobs = await Promise.all(Array.from({ length: 60 }, () => submit('many')));
  const ids = jobs.map(({ jobId }) => jobId);
  await waitFor(async () => {
    const [row] = await lab.sql`select count(*)::integer as count from worker_inbox`;
    return Number(row?.['count']) >= 5;
  }, 20_000);
  const worker = lab.pidOf('worker');
  process.kill(worker, 'SIGTERM');
  await waitFor(() => lab.pidOf('worker') !== worker, 20_000, 'another worker');
  assert.match(lab.pawl.output(), /worker ended \(exit code 0\)/);
  for (const jobId of ids) assert.equal((await lab.settled(jobId)).status, 'SUCCEEDED');
  // Nothing was cut off: each message was worked on in one go.
  const [again] = await lab.sql`
    select count(*)::integer as count from worker_inbox where attempts > 1`;
  assert.equal(again?.['count'], 0);
});

test('an attempt that stood still over its lease and wakes up beside another changes nothing twice', async () => {
  const { jobId, key } = await submit('slow');
  await waitFor(() => lab.provider.requestsOf(key).length === 1, 30_000);
  const lambda = lab.pidOf('lambda');
  process.kill(lambda, 'SIGSTOP');
  try {
    await endLease(jobId);
    // Another attempt of the same state, as another Lambda environment would run it.
    const event = {
      jobId,
      type: 'fault-probe',
      executionName: jobId,
      redriveCount: 0,
      state: 'Notify',
    };
    assert.deepEqual(await notify(event), { replayed: false });
    assert.equal(await effectOf(jobId), 'COMPLETED');
  } finally {
    process.kill(lambda, 'SIGCONT');
  }
  const job = await lab.settled(jobId);
  assert.deepEqual([job.status, job.run], ['SUCCEEDED', 1]);
  assert.equal(lab.provider.requestsOf(key).length, 2);
  assert.equal(lab.provider.works.get(`${lab.pawl.runtime().tenantId}/probe:${key}`), 1);
});

test('a task that stood still while its job was cancelled wakes up and changes nothing', async () => {
  const { jobId, key } = await submit('slow', ['CANCELLED']);
  await waitFor(() => lab.provider.requestsOf(key).length === 1, 30_000);
  const lambda = lab.pidOf('lambda');
  process.kill(lambda, 'SIGSTOP');
  try {
    assert.equal((await lab.call(`/jobs/${jobId}/cancel`, { method: 'POST' })).status, 202);
    await endLease(jobId);
    await lab.seenClosed(jobId);
  } finally {
    process.kill(lambda, 'SIGCONT');
  }
  const [before] = await lab.sql`select * from jobs where job_id = ${jobId}`;
  // The late answer is true about the world, so the effect log takes it; the job does not move.
  await waitFor(async () => (await effectOf(jobId)) === 'COMPLETED', 20_000);
  assert.deepEqual((await lab.sql`select * from jobs where job_id = ${jobId}`)[0], before);
  assert.equal((await lab.job(jobId)).status, 'CANCELLED');
});

test('after all of it nothing is lost, doubled or left over', async () => {
  await comeToRest(lab, 60_000);
  assert.deepEqual(await violations(lab, { accepted, secrets: ['the bytes of'] }), []);
});
