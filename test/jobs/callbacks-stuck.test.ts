import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findJobsAtCallbacks } from '../../jobs/store/stuck-jobs.ts';
import { connectTest } from '../support/connect-test.ts';

const sql = await connectTest();

/** Of every thousand jobs two still wait for a provider; one callback is held; the rest was answered. */
async function seedCallbacks(jobs: number): Promise<void> {
  await sql`
    insert into jobs (job_id, tenant_id, type, status, execution_name, input, request_hash, correlation_id, finished_at, created_at)
    select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'acme', 'order-settlement',
           case when n % 500 = 0 then 'RUNNING' else 'SUCCEEDED' end, n::text, '{}', repeat('0', 64), 'seed',
           case when n % 500 = 0 then null else now() end, now() - (${jobs} - n) * interval '1 second'
    from generate_series(1, ${jobs}) n`;
  await sql`
    insert into callbacks (callback_id, tenant_id, job_id, provider, effect_key, execution_name, redrive_count, task_token,
                           answer, answered_at, held_at, held_reason, created_at)
    select lpad(execution_name, 43, '0'), tenant_id, job_id, 'payment', execution_name, execution_name, 0, 'token',
           case when status = 'SUCCEEDED' then '{}'::jsonb end, case when status = 'SUCCEEDED' then now() end,
           case when execution_name = '1' then now() end, case when execution_name = '1' then 'too late' end, created_at
    from jobs`;
  await sql`analyze jobs, callbacks`;
}

test('jobs at callbacks are found by indexes of what waits and what is held, not by reading every callback', async () => {
  await seedCallbacks(20_000);
  const plans = {
    callbacks_waiting: `
      select callback_id from callbacks join jobs using (job_id)
      where answered_at is null and settled_at is null and held_at is null and status = 'RUNNING'
      order by callbacks.created_at limit 200`,
    callbacks_held: `
      select callback_id from callbacks where held_at is not null and resolved_at is null
      order by held_at limit 200`,
  };
  for (const [index, query] of Object.entries(plans)) {
    const [row] = await sql.unsafe(`explain (format json) ${query}`);
    const plan = JSON.stringify(row);
    assert.match(plan, new RegExp(index));
    assert.doesNotMatch(plan, /"Seq Scan"/, index);
  }
  const found = await findJobsAtCallbacks(sql, 200);
  assert.equal(found.length, 41);
  assert.deepEqual(
    ['waits-for-callback', 'callback-held'].map(
      (why) => found.filter((job) => job.why === why).length,
    ),
    [40, 1],
  );
  const ages = found.map(({ since }) => since.getTime());
  assert.deepEqual(
    ages,
    ages.toSorted((a, b) => a - b),
  );
});
