// 5,000 requests held by one process: `npm run bench -- waiters` (HELD=… for another number).
// Prints what holding costs the process and the database, and how soon they are answered once their jobs end.
import { Agent, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from '../jobs/store/connect.ts';
import { startTestServer, TEMPLATE } from '../test/support/postgres-server.ts';
import { keyFor } from '../test/api/app-deps.ts';
import { openApi } from './open-api.ts';
import { report } from './support/measure.ts';

const held = Number(process.env['HELD'] ?? 5_000);
const watchedMs = 10_000;

const server = await startTestServer();
const url = new URL(server.url);
url.pathname = `/${TEMPLATE}`;
const sql = connect(
  { url: url.href, poolSize: 10, statementTimeoutMs: 60_000, lockTimeoutMs: 5_000 },
  'pawl bench',
);
const key = await keyFor(sql, 'acme');
const jobs = await sql<{ id: string }[]>`
  insert into jobs (job_id, tenant_id, type, execution_name, input, request_hash, correlation_id)
  select id, 'acme', 'echo', id, '{}', repeat('0', 64), 'bench'
  from (select uuidv7() as id from generate_series(1, ${held}::integer)) as seeded
  returning job_id as id`;
const api = await openApi(sql);
const agent = new Agent({ keepAlive: true, maxSockets: Infinity });

const before = performance.now();
const answers = jobs.map(({ id }) => hold(id));
await delay(5_000); // until all have been read once and are held
const cpuBefore = process.cpuUsage();
await delay(watchedMs);
const cpu = process.cpuUsage(cpuBefore);
const busyPercent = ((cpu.user + cpu.system) / 10 / watchedMs).toFixed(1);
const megabytes = Math.round(process.memoryUsage().rss / 1e6);

const probe = performance.now();
await get(`/jobs/${jobs[0]?.id}`);
const probeMs = performance.now() - probe;

const ended = performance.now();
await sql`update jobs set status = 'CANCELLED', finished_at = now(), revision = revision + 1 where tenant_id = 'acme'`;
const statuses = await Promise.all(answers);
const told = statuses.filter((status) => status === 'CANCELLED').length;
report(`waiters: ${held} requests held for ${Math.round((ended - before) / 1000)} s`, {
  '% of a core meanwhile': busyPercent,
  'memory of client and server, MB': megabytes,
  'another request meanwhile, ms': probeMs.toFixed(1),
  'all jobs end at once: told within, ms': `${told} in ${Math.round(performance.now() - ended)}`,
});
agent.destroy();
await api.close();
await sql.end();
await server.stop();

async function hold(id: string): Promise<unknown> {
  const body = JSON.parse(await get(`/jobs/${id}`, { prefer: 'wait=60' })) as { status: unknown };
  return body.status;
}

function get(path: string, headers: Record<string, string> = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(`${api.url}${path}`, {
      agent,
      headers: { ...headers, authorization: `Bearer ${key}` },
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve(text));
    });
    sent.end();
  });
}
