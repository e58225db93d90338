import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { SFNClient } from '@aws-sdk/client-sfn';
import { pino } from 'pino';
import { executionFailure } from '../../jobs/execution-failure.ts';
import { createExecutions, type Executions } from '../../jobs/executions.ts';
import { Terminal, Transient } from '../../jobs/failure.ts';
import { reconcile } from '../../jobs/reconcile.ts';
import { connectTest } from '../support/connect-test.ts';
import { seedJob } from '../support/seed-job.ts';

const sql = await connectTest();
beforeEach(async () => void (await sql`delete from jobs`));

const overdue = async (type: string, seconds: number): Promise<string> => {
  const { jobId } = await seedJob(sql, { type, status: 'RUNNING' });
  await sql`update jobs set owner_until = now() - make_interval(secs => ${seconds}) where job_id = ${jobId}`;
  return jobId;
};

const pass = async (
  describe: Executions['describe'],
  { empty } = { empty: true },
): Promise<number> => {
  const sfn = new SFNClient({ region: 'us-east-1' });
  const prefix = 'arn:aws:states:us-east-1:000000000000:stateMachine:pawl-';
  return await reconcile({
    sql,
    executions: { ...createExecutions(sfn, prefix), describe },
    failureOf: (_arn, execution) => Promise.resolve(executionFailure(execution)),
    queueView: () =>
      Promise.resolve({ empty, hasPassed: () => false, deadLetters: new Set<string>() }),
    publishSoon: () => undefined,
    log: pino({ level: 'silent' }),
  });
};

test('jobs that cannot be looked at do not stand before the others in every pass', async () => {
  for (let n = 0; n < 300; n += 1) await overdue('forbidden', 600);
  const behind = await overdue('document-metadata', 60);
  const describe = (arn: string): Promise<undefined> => {
    if (!arn.includes('forbidden')) return Promise.resolve(undefined);
    throw new Terminal('AWS_REFUSED', 'AccessDeniedException');
  };
  await pass(describe);
  await pass(describe);
  const [job] = await sql`select status from jobs where job_id = ${behind}`;
  assert.equal(job?.['status'], 'FAILED');
});

test('while Step Functions fails one job of a pass waits for it, and what does not need it is done', async () => {
  for (let n = 0; n < 3; n += 1) await overdue('document-metadata', 600);
  const late = await overdue('document-metadata', 60);
  await sql`update jobs set expires_at = now() - interval '1 second' where job_id = ${late}`;
  let asked = 0;
  const found = await pass(() => {
    asked += 1;
    throw new Transient('AWS_UNAVAILABLE', 'ThrottlingException');
  });
  assert.deepEqual([found, asked], [4, 1]);
  const [job] = await sql`select status from jobs where job_id = ${late}`;
  assert.equal(job?.['status'], 'EXPIRED');
  const [left] = await sql`select count(*)::integer as count from jobs where owner_until < now()`;
  assert.equal(left?.['count'], 3, 'nobody was forgotten');
});

test('a backlog that is only waited for does not hold up the job whose execution is gone', async () => {
  await sql`
    with job as (
      insert into jobs (job_id, tenant_id, type, execution_name, input, request_hash, correlation_id, owner_until)
      select id, 'acme', 'document-metadata', id, '{}', repeat('0', 64), 'backlog', now() - interval '10 minutes'
      from (select gen_random_uuid() as id from generate_series(1, 400)) as ids
      returning job_id, tenant_id
    )
    insert into outbox (message_id, tenant_id, destination, message_type, job_id, envelope, attempts, published_at)
    select gen_random_uuid(), tenant_id, 'job-requests', 'JobRequested', job_id, '{}', 1, now() from job`;
  const gone = await overdue('document-metadata', 60);
  await pass(() => Promise.resolve(undefined), { empty: false });
  const [job] = await sql`select status from jobs where job_id = ${gone}`;
  assert.equal(job?.['status'], 'FAILED');
  const [left] = await sql`select count(*)::integer as count from jobs where owner_until < now()`;
  assert.equal(left?.['count'], 0, 'the backlog is waited for');
});

test('a pass looks at 300 executions, and the next one goes on where it stopped', async () => {
  for (let n = 0; n < 310; n += 1) await overdue('document-metadata', 600 - n);
  let asked = 0;
  const describe = (): Promise<undefined> => {
    asked += 1;
    return Promise.resolve(undefined);
  };
  await pass(describe);
  assert.equal(asked, 300);
  await pass(describe);
  assert.equal(asked, 310);
});
