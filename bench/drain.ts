// Jobs of five durable steps, queued, from the moment the work begins to the last one SUCCEEDED, against five bare
// commits a job on the same Postgres: `npm run bench -- drain` (JOBS=…, REPEATS=…).
import { setTimeout as delay } from 'node:timers/promises';
import { openClient } from './support/keep-alive-client.ts';
import { quantile, report, runMany, spread } from './support/measure.ts';
import { countOpen, fiveCommits, startBenchedPawl } from './support/pawl-with-five-steps.ts';

const jobs = Number(process.env['JOBS'] ?? 2_000);
const repeats = Number(process.env['REPEATS'] ?? 3);

const bench = await startBenchedPawl();
const { api, keys } = bench.pawl.runtime();
const client = openClient(api, keys.client, 20);
const rates: number[] = [];
const ceilings: number[] = [];
await drain(200); // warm-up
for (let repeat = 0; repeat < repeats; repeat += 1) {
  ceilings.push(await fiveCommits(bench.sql, jobs));
  rates.push(await drain(jobs));
}
const [failed] = await bench.sql`
  select count(*)::integer as count from jobs where type = 'five-steps' and status <> 'SUCCEEDED'`;
report(`drain: ${jobs} jobs of five steps, ${repeats} repeats`, {
  'jobs/s to SUCCEEDED': spread(rates),
  'five bare commits, jobs/s': spread(ceilings),
  'share of the ceiling': (quantile(rates, 0.5) / quantile(ceilings, 0.5)).toFixed(3),
  'jobs that did not succeed': Number(failed?.['count'] ?? -1),
});
client.close();
await bench.stop();

async function drain(count: number): Promise<number> {
  bench.holdWork(true);
  await runMany(count, 20, async (n) => {
    const { status, body } = await client.ask('POST', '/jobs', {
      type: 'five-steps',
      input: { n: String(n) },
    });
    if (status !== 202) throw new Error(`${status}: ${body}`);
  });
  await waitUntil(async () => {
    const [row] = await bench.sql<{ waiting: number }[]>`
      select count(*)::integer as waiting from outbox
      where published_at is null and destination = 'job-requests'`;
    return row?.waiting === 0;
  });
  const began = performance.now();
  bench.holdWork(false);
  await waitUntil(async () => (await countOpen(bench.sql)) === 0);
  return count / ((performance.now() - began) / 1_000);
}

async function waitUntil(done: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 300_000;
  while (!(await done())) {
    if (performance.now() > deadline) throw new Error('not within five minutes');
    await delay(50);
  }
}
