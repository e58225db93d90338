// POST /jobs with 32 keep-alive clients, the work held and then running, against Fastify + one INSERT commit in the same
// process model and on the same Postgres: `npm run bench -- submit` (REQUESTS=…, REPEATS=…).
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { openClient } from './support/keep-alive-client.ts';
import { quantile, report, runMany, spread } from './support/measure.ts';
import { startBenchedPawl } from './support/pawl-with-five-steps.ts';

const requests = Number(process.env['REQUESTS'] ?? 4_000);
const repeats = Number(process.env['REPEATS'] ?? 3);
const clients = 32;

const bench = await startBenchedPawl();
const { api, keys, databaseUrl } = bench.pawl.runtime();
const ceiling = fork(fileURLToPath(new URL('insert-server.ts', import.meta.url)), [databaseUrl]);
const [ceilingUrl] = (await once(ceiling, 'message')) as [string];

const pawlClient = openClient(api, keys.client, clients);
const ceilingClient = openClient(ceilingUrl, '', clients);
const post = async (client: typeof pawlClient, n: number): Promise<void> => {
  const { status, body } = await client.ask('POST', '/jobs', {
    type: 'five-steps',
    input: { n: String(n) },
  });
  if (status !== 202) throw new Error(`${status}: ${body}`);
};
const rates: Record<'ceiling' | 'held' | 'running', number[]> = {
  ceiling: [],
  held: [],
  running: [],
};
const latencies: number[] = [];

await runMany(500, clients, (n) => post(pawlClient, n));
await runMany(500, clients, (n) => post(ceilingClient, n));
for (let repeat = 0; repeat < repeats; repeat += 1) {
  bench.holdWork(true);
  rates.ceiling.push(rate(await runMany(requests, clients, (n) => post(ceilingClient, n))));
  const held = await runMany(requests, clients, (n) => post(pawlClient, n));
  rates.held.push(rate(held));
  latencies.push(...held.eachMs);
  bench.holdWork(false);
  rates.running.push(
    rate(await runMany(Math.ceil(requests / 4), clients, (n) => post(pawlClient, n))),
  );
}
report(`submit: ${requests} requests, ${clients} clients, ${repeats} repeats`, {
  'Fastify + one INSERT, requests/s': spread(rates.ceiling),
  'POST /jobs, work held, requests/s': spread(rates.held),
  'share of the ceiling': (quantile(rates.held, 0.5) / quantile(rates.ceiling, 0.5)).toFixed(2),
  'POST /jobs, work running, requests/s': spread(rates.running),
  'p50 / p99 ms, work held': `${quantile(latencies, 0.5).toFixed(1)} / ${quantile(latencies, 0.99).toFixed(1)}`,
});
pawlClient.close();
ceilingClient.close();
ceiling.kill();
await bench.stop();

function rate({ totalMs, eachMs }: { totalMs: number; eachMs: readonly number[] }): number {
  return eachMs.length / (totalMs / 1_000);
}
