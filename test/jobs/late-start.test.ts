import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SFNClient } from '@aws-sdk/client-sfn';
import { pino } from 'pino';
import { createSharedStatements } from '../../jobs/dispatch/shared-statements.ts';
import { dispatch } from '../../jobs/dispatch/dispatch-message.ts';
import { createExecutions, type Executions } from '../../jobs/executions.ts';
import { Transient } from '../../jobs/failure.ts';
import type { JobId } from '../../jobs/ids.ts';
import { type RedriveMode, requestRedrive } from '../../jobs/redrive.ts';
import { requestCancel } from '../../jobs/stop.ts';
import { connectTest } from '../support/connect-test.ts';
import { seedJob } from '../support/seed-job.ts';

const sql = await connectTest();
const prefix = 'arn:aws:states:us-east-1:000000000000:stateMachine:pawl-';
const executions = createExecutions(new SFNClient({ region: 'us-east-1' }), prefix);

/** Delivers the message; `start` is what happens while Step Functions is asked. Gives the names that were stopped. */
async function deliver(envelope: object, start: Executions['start']): Promise<string[]> {
  const stopped: string[] = [];
  const stop = (arn: string): Promise<void> => {
    stopped.push(arn.split(':').at(-1) ?? '');
    return Promise.resolve();
  };
  const deps = {
    sql,
    executions: { ...executions, start, stop },
    timeoutSecondsOf: () => 600,
    ...createSharedStatements(sql),
    takeStartToken: () => Promise.resolve(),
    publishSoon: () => undefined,
    log: pino({ level: 'silent' }),
    random: Math.random,
  };
  const message = { queue: 'job-requests', attributes: {}, receiveCount: 1 } as const;
  const body = JSON.stringify(envelope);
  const sent = { ...message, body, sqsMessageId: crypto.randomUUID() };
  assert.equal((await dispatch(deps, sent)).kind, 'done');
  return stopped;
}

async function cancelAndRedrive(jobId: JobId, mode: RedriveMode): Promise<void> {
  const by = { jobId, tenantId: undefined, actor: 'operator', reason: 'test' };
  assert.equal((await requestCancel(sql, { ...by, producer: 'api' })).outcome, 'stopped');
  const redriven = await requestRedrive(sql, { ...by, mode, expiresAt: null });
  assert.equal(redriven.outcome, 'redriven');
}

const started = (jobId: JobId) =>
  Promise.resolve({ arn: executions.arnOf('document-metadata', jobId), already: false });

test('an execution that was being started while its job was cancelled and restarted is stopped', async () => {
  const { jobId, envelope } = await seedJob(sql);
  const stopped = await deliver(envelope, async () => {
    await cancelAndRedrive(jobId, 'restart');
    return await started(jobId);
  });
  assert.deepEqual(stopped, [jobId]);
  const [job] = await sql`select status, execution_name as name from jobs where job_id = ${jobId}`;
  assert.deepEqual({ ...job }, { status: 'PENDING', name: `${jobId}-r2` });
});

test('one whose start was not recorded, and whose job was restarted since, is stopped by the next delivery', async () => {
  const { jobId, envelope } = await seedJob(sql);
  const first = await deliver(envelope, () => {
    throw new Transient('AWS_UNAVAILABLE', 'the answer was lost');
  });
  assert.deepEqual(first, []);
  await cancelAndRedrive(jobId, 'restart');
  const second = await deliver(envelope, () => assert.fail('it is not awaited any more'));
  assert.deepEqual(second, [jobId]);
});

test('one that its job resumes is left alone: the redrive goes on with that very execution', async () => {
  const { jobId, envelope } = await seedJob(sql);
  const stopped = await deliver(envelope, async () => {
    await cancelAndRedrive(jobId, 'resume');
    return await started(jobId);
  });
  assert.deepEqual(stopped, []);
});
