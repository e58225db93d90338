import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  CreateStateMachineCommand,
  DescribeExecutionCommand,
  SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import { pino } from 'pino';
import { dispatch, requestHashOf } from '../../jobs/dispatch/dispatch-message.ts';
import { createSharedStatements } from '../../jobs/dispatch/shared-statements.ts';
import type { DispatchDeps } from '../../jobs/dispatch/run-context.ts';
import { createExecutions, executionInput } from '../../jobs/executions.ts';
import { Transient } from '../../jobs/failure.ts';
import type { JobId } from '../../jobs/ids.ts';
import { type RedriveMode, requestRedrive } from '../../jobs/redrive.ts';
import { requestCancel } from '../../jobs/stop.ts';
import { claimMessage } from '../../jobs/store/inbox.ts';
import { startEngineProcess } from '../stepfunctions/engine-process.ts';
import { connectTest } from '../support/connect-test.ts';
import { seedJob } from '../support/seed-job.ts';
import { waitFor } from '../support/wait-for.ts';

const sql = await connectTest();
const dataDir = mkdtempSync(join(tmpdir(), 'pawl-redrive-count-'));
after(() => rmSync(dataDir, { recursive: true, force: true }));
const engine = await startEngineProcess({ dataDir });
const sfn = new SFNClient({
  endpoint: engine.endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});
const prefix = 'arn:aws:states:us-east-1:000000000000:stateMachine:pawl-';
const stateMachineArn = `${prefix}document-metadata`;
await sfn.send(
  new CreateStateMachineCommand({
    name: 'pawl-document-metadata',
    roleArn: 'arn:aws:iam::000000000000:role/test',
    definition: JSON.stringify({
      StartAt: 'Begin',
      States: { Begin: { Type: 'Pass', Next: 'Break' }, Break: { Type: 'Fail', Error: 'Broken' } },
    }),
  }),
);
const executions = createExecutions(sfn, prefix);
const deps: DispatchDeps = {
  sql,
  executions,
  timeoutSecondsOf: () => 600,
  ...createSharedStatements(sql),
  takeStartToken: () => Promise.resolve(),
  publishSoon: () => undefined,
  log: pino({ level: 'silent' }),
  random: Math.random,
};

/** A job whose execution has failed. */
async function failedJob(): Promise<{ jobId: JobId; arn: string }> {
  const { jobId, type } = await seedJob(sql, { status: 'FAILED' });
  const input = executionInput(jobId, type);
  await sfn.send(new StartExecutionCommand({ stateMachineArn, name: jobId, input }));
  const arn = executions.arnOf(type, jobId);
  await failedAt(arn, 0);
  return { jobId, arn };
}

const failedAt = async (executionArn: string, redriveCount: number): Promise<true> =>
  await waitFor(async () => {
    const shown = await sfn.send(new DescribeExecutionCommand({ executionArn }));
    return (shown.status === 'FAILED' && shown.redriveCount === redriveCount) || undefined;
  }, 10_000);

const who = { tenantId: undefined, actor: 'test', reason: 'test' };

async function redriven(jobId: JobId, mode: RedriveMode = 'auto') {
  const outcome = await requestRedrive(sql, { ...who, jobId, mode, expiresAt: null });
  assert.ok(outcome.outcome === 'redriven' && outcome.row !== undefined);
  return outcome.row.envelope;
}

async function cancel(jobId: JobId) {
  const outcome = await requestCancel(sql, { ...who, jobId, producer: 'api' });
  assert.ok(outcome.outcome === 'stopped');
  return outcome.row.envelope;
}

const received = (envelope: object) =>
  ({
    queue: 'job-requests',
    sqsMessageId: crypto.randomUUID(),
    body: JSON.stringify(envelope),
    attributes: {},
    receiveCount: 1,
  }) as const;

const deliver = async (envelope: object) => await dispatch(deps, received(envelope));

const jobOf = async (jobId: JobId) => {
  const [job] = await sql`
    select status, execution_name as name, redrive_count as count from jobs where job_id = ${jobId}`;
  return { ...job };
};

test('a redrive after one that was cancelled before Step Functions was asked has the count that its tasks will show', async () => {
  const { jobId, arn } = await failedJob();
  const first = await redriven(jobId);
  await cancel(jobId);
  await deliver(first);
  await deliver(await redriven(jobId));
  await failedAt(arn, 1);
  assert.deepEqual(await jobOf(jobId), { status: 'RUNNING', name: jobId, count: 1 });
});

test('a job that is cancelled a second time under a count that was corrected is stopped again', async () => {
  const { jobId, arn } = await failedJob();
  await redriven(jobId);
  const outcomes = [await deliver(await cancel(jobId))];
  await deliver(await redriven(jobId));
  await failedAt(arn, 1);
  outcomes.push(await deliver(await cancel(jobId)));
  const stopped = { kind: 'done', outcome: 'stopped' };
  assert.deepEqual(outcomes, [stopped, stopped]);
});

test('a delivery that corrected the count and died is followed by one that goes on from there', async () => {
  const { jobId, arn } = await failedJob();
  await redriven(jobId);
  await cancel(jobId);
  const second = await redriven(jobId);
  await claimMessage(sql, second, requestHashOf(second));
  await sql`update worker_inbox set lease_until = now() where job_id = ${jobId}`;
  await sql`update jobs set redrive_count = 1 where job_id = ${jobId}`;
  await deliver(second);
  await failedAt(arn, 1);
  assert.deepEqual(await jobOf(jobId), { status: 'RUNNING', name: jobId, count: 1 });
});

test('a refused redrive that another delivery has turned into a restart meanwhile stays to be done', async () => {
  const { jobId } = await seedJob(sql, { status: 'FAILED' }); // of which Step Functions knows nothing
  const envelope = await redriven(jobId);
  const restartName = `${jobId}-r2`;
  const slow = {
    ...executions,
    redrive: async (...asked: Parameters<typeof executions.redrive>) => {
      const answer = await executions.redrive(...asked);
      await sql`update jobs set execution_name = ${restartName}, redrive_count = 0 where job_id = ${jobId}`;
      return answer;
    },
  };
  const outcome = await dispatch({ ...deps, executions: slow }, received(envelope));
  assert.deepEqual(outcome, { kind: 'done', outcome: 'postponed: DATABASE_CONFLICT' });
  await deliver(envelope);
  assert.deepEqual(await jobOf(jobId), { status: 'RUNNING', name: restartName, count: 0 });
});

test('a refused redrive leaves the job FAILED with the count that Step Functions shows, and nothing between', async () => {
  const { jobId } = await seedJob(sql, { status: 'FAILED' }); // of which Step Functions knows nothing
  const envelope = await redriven(jobId, 'resume');
  await sql`create table seen_states (status text, count integer, no integer generated always as identity)`;
  await sql`
    create function see_state() returns trigger language plpgsql as $$
    begin
      insert into seen_states (status, count) values (new.status, new.redrive_count);
      return null;
    end $$`;
  await sql`create trigger see_state after update on jobs for each row execute function see_state()`;
  await deliver(envelope);
  assert.deepEqual(await jobOf(jobId), { status: 'FAILED', name: jobId, count: 0 });
  const [job] = await sql`select failure ->> 'code' as code from jobs where job_id = ${jobId}`;
  assert.equal(job?.['code'], 'REDRIVE_REFUSED');
  const seen = await sql`select status, count from seen_states order by no`;
  assert.deepEqual(
    seen.map((state) => ({ ...state })),
    [{ status: 'FAILED', count: 0 }],
  );
  await sql`drop trigger see_state on jobs`;
});

test('a message that fails after its lease was lost stays in the queue', async () => {
  const { jobId } = await seedJob(sql, { status: 'FAILED' });
  const envelope = await redriven(jobId);
  const failing = {
    ...executions,
    redrive: async () => {
      await sql`update worker_inbox set lease_token = gen_random_uuid() where job_id = ${jobId}`;
      throw new Transient('AWS_UNAVAILABLE', '503');
    },
  };
  const outcome = await dispatch({ ...deps, executions: failing }, received(envelope));
  assert.equal(outcome.kind, 'later');
});
