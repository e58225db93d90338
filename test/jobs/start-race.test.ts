import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestHashOf } from '../../jobs/dispatch/dispatch-message.ts';
import { recordStarts } from '../../jobs/store/dispatched-run.ts';
import { claimMessage } from '../../jobs/store/inbox.ts';
import { openRun } from '../../jobs/store/open-run.ts';
import { inTransaction } from '../../jobs/store/transaction.ts';
import { connectTest } from '../support/connect-test.ts';
import { seedJob } from '../support/seed-job.ts';
import { waitFor } from '../support/wait-for.ts';

const sql = await connectTest();

const isSomebodyWaiting = async (): Promise<boolean> => {
  const rows = await sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return rows.length > 0;
};

for (const status of ['SUCCEEDED', 'CANCELLED'] as const) {
  test(`a start that is recorded while the job becomes ${status} finds it so and leaves it so`, async () => {
    const { jobId, envelope } = await seedJob(sql);
    await openRun(sql, { jobId, executionName: jobId, redriveCount: 0 }, 'task');
    const answer = await claimMessage(sql, envelope, requestHashOf(envelope));
    assert.ok(answer.kind === 'claimed');
    const start = {
      claim: answer.claim,
      jobId,
      executionArn: 'arn',
      executionName: jobId,
      redriveCount: 0,
      timeoutSeconds: 9,
      outcome: 'started',
    };
    const recorded = await inTransaction(sql, async (tx) => {
      await tx`update jobs set status = ${status}, finished_at = now() where job_id = ${jobId}`;
      // It begins before the other one commits, and ends after it.
      const recording = recordStarts(sql, [start]);
      recording.catch(() => undefined);
      await waitFor(isSomebodyWaiting, 5_000);
      return { recording };
    });
    assert.deepEqual(await recorded.recording, [status]);
    const [job] = await sql`select status, execution_arn as arn from jobs where job_id = ${jobId}`;
    assert.deepEqual({ ...job }, { status, arn: 'arn' });
    const [inbox] = await sql`select status from worker_inbox where job_id = ${jobId}`;
    assert.equal(inbox?.['status'], 'COMPLETED');
  });
}

test('a start recorded under a lost lease leaves the message to whoever has it', async () => {
  const { jobId, envelope } = await seedJob(sql);
  const hash = requestHashOf(envelope);
  const lost = await claimMessage(sql, envelope, hash, 1);
  await waitFor(async () => {
    const rows = await sql`
      select from worker_inbox where job_id = ${jobId} and lease_until < clock_timestamp()`;
    return rows.length === 1;
  }, 5_000);
  const held = await claimMessage(sql, envelope, hash);
  assert.ok(lost.kind === 'claimed' && held.kind === 'claimed');
  await recordStarts(sql, [
    {
      claim: lost.claim,
      jobId,
      executionArn: 'arn',
      executionName: jobId,
      redriveCount: 0,
      timeoutSeconds: 9,
      outcome: 'started',
    },
  ]);
  const [inbox] = await sql`
    select status, lease_token::text as token from worker_inbox where job_id = ${jobId}`;
  assert.deepEqual({ ...inbox }, { status: 'PROCESSING', token: held.claim.leaseToken });
});
