// What row-level security would cost POST /jobs: `npm run bench -- row-level-security`.
// One insert into two tables that are alike, one of them with a policy; turn by turn, so that a busy machine hits all.
import { connect, type Sql } from '../jobs/store/connect.ts';
import { inTransaction } from '../jobs/store/transaction.ts';
import { startTestServer, TEMPLATE } from '../test/support/postgres-server.ts';

const rounds = 9;
const roundMs = 700;
const clients = 16;

const server = await startTestServer();
const url = new URL(server.url);
url.pathname = `/${TEMPLATE}`;
const open = (address: URL): Sql =>
  connect(
    { url: address.href, poolSize: 8, statementTimeoutMs: 60_000, lockTimeoutMs: 5_000 },
    'pawl bench',
  );
const admin = open(url);
await admin.unsafe(`
  create table open_jobs (like jobs including all);
  create table walled_jobs (like jobs including all);
  alter table walled_jobs enable row level security;
  create policy tenant on walled_jobs using (tenant_id = current_setting('pawl.tenant', true))
    with check (tenant_id = current_setting('pawl.tenant', true));
  create role pawl_api login password 'pawl_api';
  grant select, insert on open_jobs, walled_jobs to pawl_api`);
url.username = 'pawl_api';
url.password = 'pawl_api';
const sql = open(url);

const columns = 'job_id, tenant_id, type, execution_name, input, request_hash, correlation_id';
const values = `uuidv7(), 'acme', 'echo', 'x', '{"a": 1}', repeat('0', 64), 'bench'`;
const variants: Record<string, () => Promise<unknown>> = {
  'no policy, one statement': async () =>
    await sql.unsafe(`insert into open_jobs (${columns}) values (${values}) returning job_id`),
  'policy, set_config in the same statement': async () =>
    await sql.unsafe(
      `with tenant as materialized (select set_config('pawl.tenant', 'acme', true))
       insert into walled_jobs (${columns}) select ${values} from tenant returning job_id`,
    ),
  'policy, set_config in a transaction': async () =>
    await inTransaction(sql, async (tx) => {
      await tx`select set_config('pawl.tenant', 'acme', true)`;
      await tx.unsafe(`insert into walled_jobs (${columns}) values (${values}) returning job_id`);
    }),
};

const rates = new Map<string, number[]>(Object.keys(variants).map((name) => [name, []]));
for (let round = 0; round < rounds; round += 1) {
  for (const [name, insert] of Object.entries(variants)) {
    rates.get(name)?.push(await rateOf(insert));
  }
}
for (const [name, found] of rates) {
  found.sort((a, b) => a - b);
  const [low, middle, high] = [found[0], found[Math.floor(rounds / 2)], found.at(-1)].map((rate) =>
    Math.round(rate ?? 0),
  );
  console.log(`${name.padEnd(42)} ${middle}/s (${low} to ${high})`);
}
await sql.end();
await admin.end();
await server.stop();

async function rateOf(insert: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  let done = 0;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (performance.now() - began < roundMs) {
        await insert();
        done += 1;
      }
    }),
  );
  return (done / (performance.now() - began)) * 1000;
}
