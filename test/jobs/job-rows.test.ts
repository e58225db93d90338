import assert from 'node:assert/strict';
import { test } from 'node:test';
import postgres from 'postgres';
import { connectTo } from '../support/connect-test.ts';
import { seedJob } from '../support/seed-job.ts';
import { testDatabase } from '../support/test-database.ts';

const database = await testDatabase();
const sql = connectTo(database.url);

/** What breaks each rule in a RUNNING job, as an update: every column that it speaks of, alone where it can. */
const rules = [
  ['jobs_status_check', `status = 'DONE'`],
  ['final_jobs_are_finished', `status = 'SUCCEEDED'`],
  ['final_jobs_are_finished', `finished_at = now()`],
  ['failed_jobs_say_why', `status = 'FAILED', finished_at = now()`],
  ['failed_jobs_say_why', `failure = '{}'`],
  ['only_success_has_a_result', `result = '{}'`],
  ['held_jobs_say_why', `held_since = now()`],
  ['held_jobs_say_why', `held_because = 'x'`],
  ['jobs_run_check', `run = 0`],
  ['jobs_redrive_count_check', `redrive_count = -1`],
  ['jobs_request_hash_check', `request_hash = 'none'`],
  ['jobs_request_hash_check', `request_hash = repeat('0', 65)`],
  ['jobs_request_hash_check', `request_hash = repeat('a', 31) || 'A' || repeat('0', 32)`],
  ['jobs_tags_check', `tags = '[]'`],
  ['jobs_stoppable_check', `stoppable = 'never'`],
] as const;

for (const [rule, change] of rules) {
  test(`a row of jobs keeps ${rule}, when it is written and by an update: ${change}`, async () => {
    const refused = (error: unknown): boolean =>
      error instanceof postgres.PostgresError &&
      error.code === '23514' &&
      error.constraint_name === rule &&
      error.table_name === 'jobs';
    const { jobId } = await seedJob(sql, { status: 'RUNNING' });
    await assert.rejects(
      sql`update jobs set ${sql.unsafe(change)} where job_id = ${jobId}`,
      refused,
    );
    // The same row inserted: a copy of the job, changed before it is there.
    await assert.rejects(
      sql.begin(async (tx) => {
        await tx`create temporary table changed on commit drop as select * from jobs where job_id = ${jobId}`;
        await tx`update changed set ${tx.unsafe(change)}`;
        await tx`delete from job_events where job_id = ${jobId}`;
        await tx`delete from jobs where job_id = ${jobId}`;
        await tx`insert into jobs overriding system value select * from changed`;
      }),
      refused,
    );
    await sql`update jobs set progress = '{"done": 1}' where job_id = ${jobId}`;
  });
}
