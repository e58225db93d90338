// What a job costs beside 1,000 and beside 1,000,000 other open jobs: statements' time and WAL in Postgres, and the rate.
// `npm run bench -- scale` (OPEN=1000,100000,1000000, JOBS=…, REPEATS=…).
import { setTimeout as delay } from 'node:timers/promises';
import { countStatements } from '../test/support/statement-counts.ts';
import { openClient } from './support/keep-alive-client.ts';
import { quantile, report, runMany } from './support/measure.ts';
import { countOpen, startBenchedPawl } from './support/pawl-with-five-steps.ts';

const sizes = (process.env['OPEN'] ?? '1000,100000,1000000').split(',').map(Number);
const jobs = Number(process.env['JOBS'] ?? 1_000);
const repeats = Number(process.env['REPEATS'] ?? 3);

const bench = await startBenchedPawl();
const { sql } = bench;
const counts = await countStatements(bench.pawl, sql);
const { api, keys } = bench.pawl.runtime();
const client = openClient(api, keys.client, 20);
await run(300); // warm-up
let seeded = 0;
const costs: { readonly open: number; readonly ms: number; readonly bytes: number }[] = [];
const rows: Record<string, string> = {};
for (const open of sizes) {
  await seed(seeded, open);
  seeded = open;
  const measured = [];
  for (let repeat = 0; repeat < repeats; repeat += 1) measured.push(await measure());
  const ms = quantile(
    measured.map((one) => one.ms),
    0.5,
  );
  const bytes = quantile(
    measured.map((one) => one.bytes),
    0.5,
  );
  const rate = quantile(
    measured.map((one) => one.rate),
    0.5,
  );
  costs.push({ open, ms, bytes });
  rows[`${open.toLocaleString('en')} open`] =
    `${ms.toFixed(2)} ms in statements, ${(bytes / 1024).toFixed(1)} KiB of WAL, ${rate.toFixed(0)} jobs/s`;
}
const [first, last] = [costs[0], costs.at(-1)];
report(`scale: cost of a job of five steps, ${jobs} jobs, ${repeats} repeats`, {
  ...rows,
  'last by first, ms in statements': ((last?.ms ?? 0) / (first?.ms ?? 1)).toFixed(2),
  'last by first, WAL': ((last?.bytes ?? 0) / (first?.bytes ?? 1)).toFixed(2),
});
client.close();
await bench.stop();

async function measure() {
  await sql`checkpoint`;
  await counts.reset();
  const seconds = await run(jobs);
  const statements = (await counts.read()).filter(
    // Sweeps and the bench's own questions run by the clock.
    ({ statement }) => !/^with due|count\(\*\)|from bulk_|into workers/.test(statement),
  );
  return {
    ms: statements.reduce((sum, { execMs }) => sum + execMs, 0) / jobs,
    bytes: statements.reduce((sum, { walBytes }) => sum + walBytes, 0) / jobs,
    rate: jobs / seconds,
  };
}

/** Seconds until `count` jobs, 20 at a time, are all SUCCEEDED. */
async function run(count: number): Promise<number> {
  const { totalMs } = await runMany(count, 20, async (n) => {
    const { body } = await client.ask('POST', '/jobs', {
      type: 'five-steps',
      input: { n: String(n) },
    });
    const { jobId } = JSON.parse(body) as { jobId: string };
    await client.ask('GET', `/jobs/${jobId}`, undefined, { prefer: 'wait=30' });
  });
  while ((await countOpen(sql)) > 0) await delay(20);
  return totalMs / 1_000;
}

/** Open jobs that nobody works on now: accepted, and due in a week. */
async function seed(from: number, to: number): Promise<void> {
  const { tenantId } = bench.pawl.runtime();
  const batch = 50_000;
  for (let start = from; start < to; start += batch) {
    await sql`
      with job as (
        insert into jobs (job_id, tenant_id, type, execution_name, input, request_hash, correlation_id, not_before,
                          owner_until)
        select id, ${tenantId}, 'document-metadata', id, '{"documentId": "d-1", "version": 1}', repeat('0', 64), 'bench',
               now() + interval '7 days', now() + interval '8 days'
        from (select gen_random_uuid() as id from generate_series(1, ${Math.min(batch, to - start)})) as ids
        returning job_id, tenant_id
      )
      insert into outbox (message_id, tenant_id, destination, message_type, job_id, envelope, next_attempt_at)
      select gen_random_uuid(), tenant_id, 'job-requests', 'JobRequested', job_id, '{}', now() + interval '7 days'
      from job`;
  }
  await sql`vacuum analyze jobs`;
  await sql`vacuum analyze outbox`;
}
