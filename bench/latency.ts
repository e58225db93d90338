// POST → SUCCEEDED as a client sees it who holds a request, five steps a job, at a fixed rate:
// `npm run bench -- latency` (PER_SECOND=…, SECONDS=…).
import { setTimeout as delay } from 'node:timers/promises';
import { openClient } from './support/keep-alive-client.ts';
import { quantile, report } from './support/measure.ts';
import { startBenchedPawl } from './support/pawl-with-five-steps.ts';

const perSecond = Number(process.env['PER_SECOND'] ?? 50);
const seconds = Number(process.env['SECONDS'] ?? 10);

const bench = await startBenchedPawl();
const { api, keys } = bench.pawl.runtime();
const client = openClient(api, keys.client, 1_000);
await atRate(3); // warm-up
const seen = await atRate(seconds);
const [row] = await bench.sql<{ p50: number; p99: number }[]>`
  select percentile_cont(0.5) within group (order by ms) as p50, percentile_cont(0.99) within group (order by ms) as p99
  from (select extract(epoch from finished_at - created_at)::double precision * 1000 as ms from jobs
        where type = 'five-steps' order by accepted_no desc limit ${seen.length}) as jobs`;
report(`latency: ${perSecond} jobs of five steps a second for ${seconds} s`, {
  'seen by the client, p50 / p99 ms': `${quantile(seen, 0.5).toFixed(1)} / ${quantile(seen, 0.99).toFixed(1)}`,
  'accepted to finished in the database, p50 / p99 ms': `${row?.p50.toFixed(1)} / ${row?.p99.toFixed(1)}`,
});
client.close();
await bench.stop();

async function atRate(duration: number): Promise<number[]> {
  const running: Promise<number>[] = [];
  const began = performance.now();
  for (let n = 0; n < perSecond * duration; n += 1) {
    await delay(Math.max(0, began + (n * 1_000) / perSecond - performance.now()));
    running.push(submitAndWait(n));
  }
  return await Promise.all(running);
}

async function submitAndWait(n: number): Promise<number> {
  const start = performance.now();
  const submitted = await client.ask('POST', '/jobs', {
    type: 'five-steps',
    input: { n: String(n) },
  });
  const { jobId } = JSON.parse(submitted.body) as { jobId: string };
  const final = await client.ask('GET', `/jobs/${jobId}`, undefined, { prefer: 'wait=30' });
  const { status } = JSON.parse(final.body) as { status: string };
  if (status !== 'SUCCEEDED') throw new Error(`${jobId} is ${status}`);
  return performance.now() - start;
}
