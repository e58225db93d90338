// Jobs of five steps that failed in the third, redriven in bulk as fast as it goes, beside a drain of as many jobs that have
// just those three steps: what is left to do. The drained ones lie in the queue when the clock starts; a redrive has yet to
// list them, to open their next runs and to send their messages. Five bare commits a job as everywhere.
// `npm run bench -- redrive` (JOBS=…).
import { setTimeout as delay } from 'node:timers/promises';
import { openClient } from './support/keep-alive-client.ts';
import { report, runMany } from './support/measure.ts';
import { countOpen, fiveCommits, startBenchedPawl } from './support/pawl-with-five-steps.ts';

const jobs = Number(process.env['JOBS'] ?? 10_000);
const bench = await startBenchedPawl();
const { sql } = bench;
const { api, keys } = bench.pawl.runtime();
const client = openClient(api, keys.client, 20);
const operator = openClient(api, keys.operator, 1);

await drain(300); // warm-up
const ceiling = await fiveCommits(sql, 2_000);
const drained = await drain(jobs);
await failThirdStep();
await submit(jobs, 'five-steps');
await until(async () => (await countOpen(sql)) === 0);
await sql`drop trigger bench_fail_third_step on jobs`;
const redriven = await redriveAll();
const [left] = await sql<{ count: number; most: number }[]>`
  select count(*) filter (where status <> 'SUCCEEDED')::integer as count, max(run)::integer as most from jobs`;
report(`redrive: ${jobs} jobs of five steps, failed in the third`, {
  'five bare commits, jobs/s': Math.round(ceiling),
  'drain of jobs of three steps, jobs/s': Math.round(drained),
  'redrive with three of five steps left, jobs/s': Math.round(redriven),
  'redriven jobs per drained job': (redriven / drained).toFixed(2),
  'jobs that did not succeed, most runs of a job': `${left?.count}, ${left?.most}`,
});
client.close();
operator.close();
await bench.stop();

/** The database refuses the write of the third step: Terminal, and the states before it are done. */
async function failThirdStep(): Promise<void> {
  await sql.unsafe(`
    create or replace function bench_fail() returns trigger language plpgsql as $$
    begin raise exception 'bench' using errcode = 'check_violation'; end $$;
    create trigger bench_fail_third_step before update of progress on jobs
    for each row when ((new.progress ->> 'done')::integer = 3) execute function bench_fail();`);
}

async function redriveAll(): Promise<number> {
  const began = performance.now();
  const { status, body } = await operator.ask('POST', '/jobs/redrive', {
    filter: { status: 'FAILED', type: 'five-steps' },
    name: 'bench',
    reason: 'bench',
    ratePerSecond: 500, // the most that a bulk redrive takes
  });
  if (status !== 202) throw new Error(`${status}: ${body}`);
  await until(async () => {
    const [row] = await sql<{ failed: number }[]>`
      select count(*)::integer as failed from jobs where status in ('FAILED', 'PENDING', 'RUNNING')`;
    return row?.failed === 0;
  });
  return jobs / ((performance.now() - began) / 1_000);
}

async function drain(count: number): Promise<number> {
  bench.holdWork(true);
  await submit(count, 'three-steps');
  const began = performance.now();
  bench.holdWork(false);
  await until(async () => (await countOpen(sql, 'three-steps')) === 0);
  return count / ((performance.now() - began) / 1_000);
}

async function submit(count: number, type: string): Promise<void> {
  await runMany(count, 20, async (n) => {
    const { status, body } = await client.ask('POST', '/jobs', {
      type,
      input: { n: String(n) },
    });
    if (status !== 202) throw new Error(`${status}: ${body}`);
  });
}

async function until(done: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 600_000;
  while (!(await done())) {
    if (performance.now() > deadline) throw new Error('not within ten minutes');
    await delay(50);
  }
}
