// pg-boss, graphile-worker and DBOS beside Pawl, in one run and on one Postgres: a durable enqueue by 32 clients with the work
// held, a drain of those jobs at five application commits each, and the latency of a job at 50/s. Whoever is measured has fresh
// processes and has enqueued some thousand jobs before the clock starts; they are drained with the others.
// `npm run bench -- peers` (JOBS=…, WARM_UP=…, SECONDS=…, REPEATS=…). Pawl's submit goes over HTTP with key, validation and audit row;
// the peers' enqueue is a call in the process that measures.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openClient } from './support/keep-alive-client.ts';
import { quantile, report, runMany, spread } from './support/measure.ts';
import { countOpen, fiveCommits, startBenchedPawl } from './support/pawl-with-five-steps.ts';

const jobs = Number(process.env['JOBS'] ?? 2_000);
const warmUp = Number(process.env['WARM_UP'] ?? 4_000);
const seconds = Number(process.env['SECONDS'] ?? 8);
const repeats = Number(process.env['REPEATS'] ?? 3);
const perSecond = 50;
const clients = 32;
/** After its drain each may finish what nobody waits for, before its latency is measured; as in run-peer.mjs. */
const restMs = 3_000;
const peers = ['pg-boss', 'graphile-worker', 'dbos'];
const folder = fileURLToPath(new URL('peers', import.meta.url));

type Measured = {
  readonly enqueuePerSecond: number;
  readonly drainPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
};

installPeers();
const bench = await startBenchedPawl();
const { sql } = bench;
const { databaseUrl } = bench.pawl.runtime();
let client = openClientOfPawl();

const measured = new Map<string, Measured[]>();
const ceilings: number[] = [];
for (let repeat = 0; repeat < repeats; repeat += 1) {
  ceilings.push(await fiveCommits(sql, jobs));
  for (const peer of peers) note(peer, await runPeer(peer, repeat));
  note('pawl', await runPawl());
}
const ceiling = quantile(ceilings, 0.5);
report(
  `peers: ${warmUp} and ${jobs} jobs of five commits, ${repeats} repeats; enqueue/s | drain jobs/s | p50 / p99 ms at ${perSecond}/s`,
  {
    'five bare commits, jobs/s': spread(ceilings),
    ...Object.fromEntries([...measured].map(([name, runs]) => [name, describe(runs)])),
  },
);
client.close();
await bench.stop();

function note(name: string, one: Measured): void {
  measured.set(name, [...(measured.get(name) ?? []), one]);
}

function describe(runs: readonly Measured[]): string {
  const of = (figure: keyof Measured) => runs.map((run) => run[figure]);
  const drained = quantile(of('drainPerSecond'), 0.5) / ceiling;
  return `${spread(of('enqueuePerSecond'))} | ${spread(of('drainPerSecond'))}, ${drained.toFixed(3)} of the ceiling | ${spread(of('p50Ms'), 1)} / ${spread(of('p99Ms'), 1)}`;
}

/** They are no part of Pawl: their packages stand beside them, and come when the benchmark is first run. */
function installPeers(): void {
  if (existsSync(`${folder}/node_modules`)) return;
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error(`npm ci in ${folder} ended with ${status}`);
}

/** In a process and a database of its own, while Pawl's work is held. */
async function runPeer(peer: string, repeat: number): Promise<Measured> {
  const database = `peer_${peer.replace('-', '_')}_${repeat}`;
  await sql.unsafe(`create database ${database}`);
  const url = new URL(databaseUrl);
  url.pathname = `/${database}`;
  bench.holdWork(true);
  const child = spawn(
    process.execPath,
    [`${folder}/run-peer.mjs`, peer, url.href, ...[warmUp, jobs, seconds].map(String)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  const code = await new Promise((resolve) => child.once('close', resolve));
  bench.holdWork(false);
  const line = output.split('\n').find((text) => text.startsWith('{'));
  if (code !== 0 || line === undefined) throw new Error(`${peer} ended with ${String(code)}`);
  return JSON.parse(line) as Measured;
}

async function runPawl(): Promise<Measured> {
  client.close();
  for (const name of ['cloud', 'lambda', 'engine', 'api', 'worker'] as const)
    await bench.pawl.kill(name);
  client = openClientOfPawl();
  bench.holdWork(true);
  await runMany(warmUp, clients, submit);
  const { totalMs } = await runMany(jobs, clients, submit);
  const began = performance.now();
  bench.holdWork(false);
  await until(async () => (await countOpen(sql)) === 0);
  const drainPerSecond = (warmUp + jobs) / ((performance.now() - began) / 1_000);
  await delay(restMs);
  const latencies = await atRate();
  return {
    enqueuePerSecond: jobs / (totalMs / 1_000),
    drainPerSecond,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
  };
}

function openClientOfPawl() {
  const { api, keys } = bench.pawl.runtime();
  return openClient(api, keys.client, 1_000);
}

async function atRate(): Promise<number[]> {
  const running: Promise<number>[] = [];
  const began = performance.now();
  for (let n = 0; n < perSecond * seconds; n += 1) {
    await delay(Math.max(0, began + (n * 1_000) / perSecond - performance.now()));
    running.push(submitAndWait(n));
  }
  return await Promise.all(running);
}

async function submit(n: number): Promise<string> {
  const { status, body } = await client.ask('POST', '/jobs', {
    type: 'five-steps',
    input: { n: String(n) },
  });
  if (status !== 202) throw new Error(`${status}: ${body}`);
  return (JSON.parse(body) as { jobId: string }).jobId;
}

async function submitAndWait(n: number): Promise<number> {
  const start = performance.now();
  const jobId = await submit(n);
  await client.ask('GET', `/jobs/${jobId}`, undefined, { prefer: 'wait=30' });
  return performance.now() - start;
}

async function until(done: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 300_000;
  while (!(await done())) {
    if (performance.now() > deadline) throw new Error('not within five minutes');
    await delay(20);
  }
}
