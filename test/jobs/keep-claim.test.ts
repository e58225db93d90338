import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import { SFNClient } from '@aws-sdk/client-sfn';
import { pino } from 'pino';
import { dispatch, requestHashOf } from '../../jobs/dispatch/dispatch-message.ts';
import { createSharedStatements } from '../../jobs/dispatch/shared-statements.ts';
import type { DispatchDeps } from '../../jobs/dispatch/run-context.ts';
import { createExecutions } from '../../jobs/executions.ts';
import type { JobId } from '../../jobs/ids.ts';
import { claimMessage } from '../../jobs/store/inbox.ts';
import {
  claimLeaseMs,
  claimRenewalMs,
  longestCallMs,
  stepFunctionsClient,
} from '../../jobs/step-functions-calls.ts';
import { listen } from '../../local/processes/listen.ts';
import { connectTest } from '../support/connect-test.ts';
import { seedJob } from '../support/seed-job.ts';
import { waitFor } from '../support/wait-for.ts';

const sql = await connectTest();

/** Plays Step Functions: takes StartExecution calls and answers them when it is told to. */
const asked: string[] = [];
let answering = Promise.withResolvers<void>();
const server = createServer((request, response) => {
  void request.toArray().then(async (chunks) => {
    const { name } = JSON.parse(Buffer.concat(chunks as Buffer[]).toString()) as { name: string };
    asked.push(name);
    await answering.promise;
    const answer = { executionArn: `arn:${name}`, startDate: 1_700_000_000 };
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify(answer));
  });
});
const port = await listen(server, 0);
after(() => {
  server.closeAllConnections();
  server.close();
});
const sfn = new SFNClient({
  ...stepFunctionsClient,
  endpoint: `http://127.0.0.1:${port}`,
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});
const deps: DispatchDeps = {
  sql,
  executions: createExecutions(sfn, 'arn:aws:states:us-east-1:000000000000:stateMachine:pawl-'),
  timeoutSecondsOf: () => 600,
  ...createSharedStatements(sql),
  takeStartToken: () => Promise.resolve(),
  publishSoon: () => undefined,
  log: pino({ level: 'silent' }),
  random: Math.random,
};

const received = (envelope: object) =>
  ({
    queue: 'job-requests',
    sqsMessageId: crypto.randomUUID(),
    body: JSON.stringify(envelope),
    attributes: {},
    receiveCount: 1,
  }) as const;

const startsOf = (jobId: JobId): number => asked.filter((name) => name === jobId).length;

const leaseIsOver = async (jobId: JobId): Promise<boolean> =>
  (await sql`select from worker_inbox where job_id = ${jobId} and lease_until < now()`).length > 0;

/** Whether it lasts so long from when the message was first seen. */
const leaseReaches = async (jobId: JobId, ms: number): Promise<boolean> => {
  const rows = await sql`
    select from worker_inbox
    where job_id = ${jobId} and lease_until >= first_seen_at + ${ms}::float8 * interval '1 millisecond'`;
  return rows.length > 0;
};

test('a message stays in one worker’s hands while its call takes longer than several leases', async () => {
  answering = Promise.withResolvers();
  const { jobId, envelope } = await seedJob(sql);
  const claimPace = { leaseMs: 2_000, renewalMs: 100, callMs: 500 };
  const first = dispatch({ ...deps, claimPace }, received(envelope));
  await waitFor(() => startsOf(jobId) === 1, 5_000);
  await waitFor(() => leaseReaches(jobId, 2.5 * claimPace.leaseMs), 10_000);
  const second = await dispatch(deps, received(envelope));
  assert.deepEqual(second, { kind: 'done', outcome: 'put off: another consumer has it' });
  answering.resolve();
  assert.deepEqual(await first, { kind: 'done', outcome: 'started' });
  assert.equal(startsOf(jobId), 1);
});

/** A worker that was stopped (SIGSTOP) after it had claimed, for longer than its lease. */
const stoppedAWhile = (jobId: JobId, meanwhile: () => Promise<unknown>): DispatchDeps => ({
  ...deps,
  claimPace: { leaseMs: 300, renewalMs: 60_000, callMs: 100 },
  takeStartToken: async () => {
    await waitFor(() => leaseIsOver(jobId), 5_000);
    await meanwhile();
  },
});

test('a worker that wakes up after its lease, when another has the message, does not call Step Functions', async () => {
  answering = Promise.withResolvers();
  answering.resolve();
  const { jobId, envelope } = await seedJob(sql);
  let second: unknown;
  const slow = stoppedAWhile(jobId, async () => {
    second = await dispatch(deps, received(envelope));
  });
  const first = await dispatch(slow, received(envelope));
  assert.deepEqual(second, { kind: 'done', outcome: 'started' });
  assert.equal(first.kind, 'later');
  assert.equal(startsOf(jobId), 1);
});

test('a worker that wakes up at its last attempt, when another has the message, does not fail the job', async () => {
  answering = Promise.withResolvers();
  answering.resolve();
  const { jobId, envelope } = await seedJob(sql);
  const last = {
    ...envelope,
    attemptPolicy: { ...envelope.attemptPolicy, maxBusinessAttempts: 1 },
  };
  const slow = stoppedAWhile(jobId, async () => {
    // Taken by another worker, which has not begun yet.
    const taken = await claimMessage(sql, last, requestHashOf(last));
    assert.equal(taken.kind, 'claimed');
  });
  const first = await dispatch(slow, received(last));
  const [job] = await sql`select status from jobs where job_id = ${jobId}`;
  assert.deepEqual([first.kind, job?.['status']], ['later', 'PENDING']);
});

test('a worker that wakes up after its lease, when nobody has taken the message, goes on', async () => {
  answering = Promise.withResolvers();
  answering.resolve();
  const { jobId, envelope } = await seedJob(sql);
  const slow = stoppedAWhile(jobId, async () => undefined);
  assert.deepEqual(await dispatch(slow, received(envelope)), { kind: 'done', outcome: 'started' });
  assert.equal(startsOf(jobId), 1);
});

test('a call that begins under a lease has ended before the lease does', () => {
  assert.ok(claimLeaseMs >= longestCallMs + claimRenewalMs);
  const { maxAttempts, requestHandler } = stepFunctionsClient;
  const { connectionTimeout, requestTimeout } = requestHandler;
  assert.ok(longestCallMs > maxAttempts * (connectionTimeout + requestTimeout));
});
