import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SFNClient } from '@aws-sdk/client-sfn';
import { pino } from 'pino';
import { classifyingAws } from '../../jobs/classify.ts';
import { createSharedStatements } from '../../jobs/dispatch/shared-statements.ts';
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
    ...createSharedStatements(sql),
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

test('a message that comes before its time waits for it in the outbox, and is not an attempt', async () => {
  const { jobId, envelope } = await seedJob(sql);
  const notBefore = new Date(Date.now() + 60_000).toISOString();
  const outcome = await deliver(withPolicy(envelope, { notBefore }), () =>
    Promise.reject(new Error('it was started too early')),
  );
  assert.equal(outcome, 'put off: not before its time');
  const [waiting] = await sql`
    select published_at, next_attempt_at between now() + interval '50 seconds' and now() + interval '65 seconds' as later
    from outbox where job_id = ${jobId}`;
  assert.deepEqual({ ...waiting }, { published_at: null, later: true });
  assert.equal((await sql`select from worker_inbox where job_id = ${jobId}`).length, 0);
});

test('attempts are counted over all deliveries, also those of a message that SQS gives a new receive count', async () => {
  const { jobId, envelope } = await seedJob(sql);
  const failing = () => Promise.reject(new Transient('AWS_UNAVAILABLE', '503'));
  const message = withPolicy(envelope, { maxBusinessAttempts: 3 });
  assert.equal(await deliver(message, failing), 'postponed: AWS_UNAVAILABLE');
  assert.equal(await deliver(message, failing), 'postponed: AWS_UNAVAILABLE');
  assert.equal(await deliver(message, failing), 'ATTEMPTS_EXHAUSTED');
  assert.deepEqual(await endOf(jobId), { status: 'FAILED', code: 'ATTEMPTS_EXHAUSTED' });
});

test('a code that the policy calls terminal ends the attempts', async () => {
  const { jobId, envelope } = await seedJob(sql);
  const message = withPolicy(envelope, { terminalAfterCodes: ['AWS_UNAVAILABLE'] });
  const outcome = await deliver(message, () =>
    Promise.reject(new Transient('AWS_UNAVAILABLE', '503')),
  );
  assert.equal(outcome, 'AWS_UNAVAILABLE');
  assert.deepEqual(await endOf(jobId), { status: 'FAILED', code: 'AWS_UNAVAILABLE' });
});

test('a connection to Step Functions that was cut postpones the message; its claim is not left standing', async () => {
  const { envelope } = await seedJob(sql);
  const cut = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  const outcome = await deliver(envelope, () => classifyingAws(() => Promise.reject(cut)));
  assert.equal(outcome, 'postponed: AWS_UNAVAILABLE');
});
