// POST → SUCCEEDED as a client sees it who holds a request, five steps a job, at a fixed rate:
// `npm run bench -- latency` (PER_SECOND=…, SECONDS=…, REPEATS=…, WARM_UP=… jobs: as many as the peers have done before).
import { setTimeout as delay } from 'node:timers/promises';
import { openClient } from './support/keep-alive-client.ts';
import { quantile, report, runMany, spread } from './support/measure.ts';
import { countOpen, startBenchedPawl } from './support/pawl-with-five-steps.ts';

const perSecond = Number(process.env['PER_SECOND'] ?? 50);
const seconds = Number(process.env['SECONDS'] ?? 10);
const repeats = Number(process.env['REPEATS'] ?? 3);
const warmUp = Number(process.env['WARM_UP'] ?? 2_000);

const bench = await startBenchedPawl();
const { api, keys } = bench.pawl.runtime();
const client = openClient(api, keys.client, 1_000);
await runMany(warmUp, 32, submit);
while ((await countOpen(bench.sql)) > 0) await delay(100);
await atRate(3);
const seen: number[][] = [];
const inDatabase: number[][] = [];
const bare: (readonly number[])[] = [];
/** The same work each time, so it tells how fast the machine was just then. */
const ownCpu: number[] = [];
for (let repeat = 0; repeat < repeats; repeat += 1) {
  const before = process.cpuUsage();
  seen.push(await atRate(seconds));
  const { user, system } = process.cpuUsage(before);
  ownCpu.push((user + system) / 1_000 / (perSecond * seconds));
  inDatabase.push(await acceptedToFinished(perSecond * seconds));
  bare.push((await eightCommits()).eachMs);
}
report(
  `latency: ${perSecond} jobs of five steps a second for ${seconds} s, ${repeats} repeats, after ${warmUp} jobs`,
  {
    'seen by the client, p50 / p99 ms': describe(seen),
    'accepted to finished in the database, p50 / p99 ms': describe(inDatabase),
    'a job’s eight commits alone, one after the other, p50 / p99 ms': describe(bare),
    'the measuring client’s own CPU, ms a job': spread(ownCpu, 2),
  },
);
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

/** The ceiling: what lies one after the other on a job's way, as bare inserts, while nothing else is done. */
async function eightCommits() {
  await bench.sql`create table if not exists bench_commits (n integer not null, step integer not null)`;
  return await runMany(200, 1, async (n) => {
    for (let step = 1; step <= 8; step += 1)
      await bench.sql`insert into bench_commits values (${n}, ${step})`;
  });
}

function describe(runs: readonly (readonly number[])[]): string {
  const of = (share: number) =>
    spread(
      runs.map((run) => quantile(run, share)),
      1,
    );
  return `${of(0.5)} / ${of(0.99)}`;
}

async function acceptedToFinished(jobs: number): Promise<number[]> {
  const rows = await bench.sql<{ ms: number }[]>`
    select extract(epoch from finished_at - created_at)::double precision * 1000 as ms from jobs
    where type = 'five-steps' order by accepted_no desc limit ${jobs}`;
  return rows.map(({ ms }) => ms);
}

async function submitAndWait(n: number): Promise<number> {
  const start = performance.now();
  const jobId = await submit(n);
  const final = await client.ask('GET', `/jobs/${jobId}`, undefined, { prefer: 'wait=30' });
  const { status } = JSON.parse(final.body) as { status: string };
  if (status !== 'SUCCEEDED') throw new Error(`${jobId} is ${status}`);
  return performance.now() - start;
}

async function submit(n: number): Promise<string> {
  const submitted = await client.ask('POST', '/jobs', {
    type: 'five-steps',
    input: { n: String(n) },
  });
  return (JSON.parse(submitted.body) as { jobId: string }).jobId;
}
