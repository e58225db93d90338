import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SFNClient } from '@aws-sdk/client-sfn';
import { pino } from 'pino';
import { createRecordStarted } from '../../jobs/dispatch/record-together.ts';
import { dispatch } from '../../jobs/dispatch/dispatch-message.ts';
import { createExecutions, type Executions } from '../../jobs/executions.ts';
import { Terminal, Transient } from '../../jobs/failure.ts';
import { openRun } from '../../jobs/store/open-run.ts';
import { connectTest } from '../support/connect-test.ts';
import { seedJob } from '../support/seed-job.ts';

const sql = await connectTest();
const prefix = 'arn:aws:states:us-east-1:000000000000:stateMachine:pawl-';
const executions = createExecutions(new SFNClient({ region: 'us-east-1' }), prefix);

const deliver = async (envelope: object, start: Executions['start']): Promise<string> => {
  const deps = {
    sql,
    executions: { ...executions, start },
    timeoutSecondsOf: () => 600,
    recordStarted: createRecordStarted(sql),
    takeStartToken: () => Promise.resolve(),
    publishSoon: () => undefined,
    log: pino({ level: 'silent' }),
    random: Math.random,
  };
  const disposition = await dispatch(deps, {
    queue: 'job-requests',
    sqsMessageId: crypto.randomUUID(),
    body: JSON.stringify(envelope),
    attributes: {},
    receiveCount: 1,
  });
  assert.ok(disposition.kind === 'done');
  return disposition.outcome;
};

const endOf = async (jobId: string) => {
  const [job] = await sql`
    select status, failure ->> 'code' as code from jobs where job_id = ${jobId}`;
  return { ...job };
};

const withPolicy = (envelope: object, policy: object) => ({
  ...envelope,
  attemptPolicy: {
    maxBusinessAttempts: 100,
    notBefore: null,
    retryableUntil: null,
    terminalAfterCodes: [],
    ...policy,
  },
});

test('a job whose time runs out while Step Functions fails is EXPIRED, not FAILED', async () => {
  const { jobId, envelope } = await seedJob(sql);
  const until = new Date(Date.now() + 300);
  await sql`update jobs set expires_at = ${until} where job_id = ${jobId}`;
  const message = withPolicy(envelope, { retryableUntil: until.toISOString() });
  await deliver(message, async () => {
    await sql`select pg_sleep(0.4)`;
    throw new Transient('AWS_UNAVAILABLE', '503');
  });
  assert.deepEqual(await endOf(jobId), { status: 'EXPIRED', code: null });
});

test('a start that is given up fails the job, unless it was started all the same', async () => {
  const refused = await seedJob(sql);
  await deliver(refused.envelope, () => {
    throw new Terminal('AWS_REFUSED', 'StateMachineDoesNotExist');
  });
  assert.deepEqual(await endOf(refused.jobId), { status: 'FAILED', code: 'START_REFUSED' });

  const begun = await seedJob(sql);
  const { jobId } = begun;
  await deliver(withPolicy(begun.envelope, { maxBusinessAttempts: 1 }), async () => {
    // The execution was started, its first task is at work; only the answer was lost.
    await openRun(sql, { jobId, executionName: jobId, redriveCount: 0 }, 'task');
    throw new Transient('AWS_UNAVAILABLE', 'ETIMEDOUT');
  });
  assert.deepEqual(await endOf(jobId), { status: 'RUNNING', code: null });
});
