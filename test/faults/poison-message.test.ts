import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CreateStateMachineCommand, SFNClient } from '@aws-sdk/client-sfn';
import { SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { isFiring, ruleOf } from '../../jobs/alert-rules.ts';
import type { CrashPoint } from '../../jobs/crash-point.ts';
import { redriveDeadLetters } from '../../jobs/dead-letters.ts';
import { messageNameOf } from '../../jobs/message-name.ts';
import { readFigures } from '../../jobs/operations-figures.ts';
import { createPoolWait } from '../../jobs/pool-wait.ts';
import { releaseJobs } from '../../jobs/store/held-jobs.ts';
import { findHeldJobs } from '../../jobs/store/stuck-jobs.ts';
import { startEngineProcess } from '../stepfunctions/engine-process.ts';
import { connectTo } from '../support/connect-test.ts';
import { recordCalls } from '../support/record-calls.ts';
import { seedJob, seedOutbox } from '../support/seed-job.ts';
import { testDatabase } from '../support/test-database.ts';
import { waitFor } from '../support/wait-for.ts';
import { account, startQueues } from '../worker/queues.ts';

const receives = 2;
const prefix = 'arn:aws:states:us-east-1:000000000000:stateMachine:pawl-';
const folder = mkdtempSync(join(tmpdir(), 'pawl-poison-'));
const crashFile = join(folder, 'point');
const database = await testDatabase();
const sql = connectTo(database.url);
// Time compressed: a message comes back soon after its consumer has died, and not while a slow machine still works on it.
const queues = await startQueues({ CLOUD_LONGEST_VISIBILITY_SECONDS: '4' });
const requests = await queues.create('job-requests');
const events = await queues.create('execution-events');
const engine = await startEngineProcess({ dataDir: folder });
after(() => rmSync(folder, { recursive: true, force: true }));

const env = {
  ...process.env,
  ...recordCalls(),
  AWS_REGION: account.region,
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_ENDPOINT_URL_SQS: queues.endpoint,
  AWS_ENDPOINT_URL_SFN: engine.endpoint,
  DATABASE_URL: database.url,
  JOB_REQUESTS_QUEUE_URL: requests.url,
  JOB_REQUESTS_DLQ_URL: requests.dlqUrl,
  EXECUTION_EVENTS_QUEUE_URL: events.url,
  EXECUTION_EVENTS_DLQ_URL: events.dlqUrl,
  STATE_MACHINE_ARN_PREFIX: prefix,
  JOB_TYPE_DIRS: fileURLToPath(new URL('job-types', import.meta.url)),
  // One consumer, so that no other poll of a dead worker is given the message (the stand-in does that).
  DISPATCH_CONCURRENCY: '1',
  RECONCILE_INTERVAL_MS: '200',
  SHUTDOWN_GRACE_MS: '500',
  CRASH_POINT_FILE: crashFile,
};
const arm = (point: CrashPoint): void => writeFileSync(crashFile, point);

function startWorker(): ChildProcess {
  const path = fileURLToPath(new URL('../../worker/server.ts', import.meta.url));
  const worker = spawn(process.execPath, [path], { stdio: 'ignore', env });
  after(() => void worker.kill('SIGKILL'));
  return worker;
}

const deadLetters = async (): Promise<number> => {
  const { visible, inHand } = await queues.counts(requests.dlqUrl);
  return visible + inHand;
};

/** Time compressed: whoever looks after the job has had his time, again and again, while `until` is not so. */
const pressReconciler = async (jobId: string, until: () => Promise<boolean>): Promise<boolean> =>
  await waitFor(
    async () => {
      await sql`update jobs set owner_until = now() - interval '1 second' where job_id = ${jobId} and status = 'PENDING'`;
      return await until();
    },
    30_000,
    'the reconciler to come to an end with the job',
  );

test('a message that kills every worker that takes it is sent once, then lies in the DLQ, and its job is held', async () => {
  const RedrivePolicy = JSON.stringify({
    deadLetterTargetArn: 'arn:aws:sqs:us-east-1:000000000000:job-requests-dlq',
    maxReceiveCount: receives,
  });
  await queues.sqs.send(
    new SetQueueAttributesCommand({ QueueUrl: requests.url, Attributes: { RedrivePolicy } }),
  );
  const job = await seedJob(sql, { type: 'fault-probe' });
  const { jobId } = job;
  await seedOutbox(sql, job);
  await sql`update outbox set published_at = now(), attempts = 1 where job_id = ${jobId}`;
  await queues.send(requests.url, [JSON.stringify(job.envelope)]);
  for (let kills = 0; kills < receives; kills += 1) {
    arm('after-message-received');
    const worker = startWorker();
    await waitFor(() => worker.signalCode === 'SIGKILL', 20_000, `kill ${kills + 1}`);
  }

  const worker = startWorker();
  const isHeld = async (): Promise<boolean> => (await findHeldJobs(sql, 10)).length === 1;
  await pressReconciler(jobId, isHeld);
  const pressedUntil = performance.now() + 1_500;
  await pressReconciler(jobId, () => Promise.resolve(performance.now() > pressedUntil));
  const [row] = await sql`select attempts, resends from outbox where job_id = ${jobId}`;
  assert.deepEqual({ ...row }, { attempts: 1, resends: 0 });
  await waitFor(async () => (await deadLetters()) === 1, 5_000, 'one dead letter');
  assert.deepEqual(await queues.counts(requests.url), { visible: 0, inHand: 0 });
  const [held] = await findHeldJobs(sql, 10);
  assert.equal(held?.jobId, jobId);
  assert.match(held.heldReason ?? '', /dead-letter queue/);
  const poolWait = createPoolWait(sql, () => performance.now());
  const config = {
    jobRequestsUrl: requests.url,
    jobRequestsDlqUrl: requests.dlqUrl,
    executionEventsUrl: events.url,
    executionEventsDlqUrl: events.dlqUrl,
    searchProjectionUrl: undefined,
    searchProjectionDlqUrl: undefined,
    notificationsUrl: undefined,
    notificationsDlqUrl: undefined,
  };
  const figures = await readFigures({ sql, sqs: queues.sqs, poolWait, queues: config });
  assert.equal(isFiring(ruleOf('HeldJobs'), figures), true);

  // The cause is mended: an operator sends the dead letter to its queue again.
  const definition = JSON.stringify({ StartAt: 'Done', States: { Done: { Type: 'Succeed' } } });
  const sfn = new SFNClient({ ...account, endpoint: engine.endpoint });
  const roleArn = 'arn:aws:iam::000000000000:role/test';
  await sfn.send(new CreateStateMachineCommand({ name: 'pawl-fault-probe', definition, roleArn }));
  const { taken } = await redriveDeadLetters(
    queues.sqs,
    { dlq: requests.dlqUrl, source: requests.url },
    { messageIds: 'all', limit: 10, timeLimitMs: 5_000 },
  );
  const names = taken.flatMap(({ Body = '' }) => messageNameOf(Body) ?? []);
  await releaseJobs(sql, names);
  await waitFor(
    async () => {
      const [now] = await sql`select status from jobs where job_id = ${jobId}`;
      return now?.['status'] === 'RUNNING';
    },
    20_000,
    'the job to run',
  );
  assert.equal(await isHeld(), false);
  worker.kill('SIGTERM');
  await waitFor(() => worker.exitCode === 0, 10_000, 'the worker to stop');
  assert.equal(await deadLetters(), 0);
});
