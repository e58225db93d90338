// GET /jobs over 1,000,000 jobs of 20 tenants, by each filter: `npm run bench -- list` (JOBS=… for another number).
// Prints the median and the slowest of 20 calls over HTTP; the aim is under 100 ms.
import { performance } from 'node:perf_hooks';
import { connect, type Sql } from '../jobs/store/connect.ts';
import { startTestServer, TEMPLATE } from '../test/support/postgres-server.ts';
import { keyFor } from '../test/api/app-deps.ts';
import { openApi } from './open-api.ts';
import { report } from './support/measure.ts';

const jobs = Number(process.env['JOBS'] ?? 1_000_000);
const tenants = 20;
const calls = 20;

const server = await startTestServer();
const url = new URL(server.url);
url.pathname = `/${TEMPLATE}`;
const sql = connect(
  { url: url.href, poolSize: 10, statementTimeoutMs: 600_000, lockTimeoutMs: 5_000 },
  'pawl bench',
);
const began = performance.now();
await seed(sql);
console.log(`${jobs} jobs seeded in ${Math.round((performance.now() - began) / 1000)} s`);

const api = await openApi(sql);
const keys = { tenant: await keyFor(sql, 'tenant-7'), operator: await keyFor(sql, null) };
const middle = new Date(Date.now() - (jobs / 2) * 1000).toISOString();
const queries = [
  '',
  'status=FAILED',
  'status=RUNNING',
  'type=order-settlement',
  'tag=team:team-27',
  'tag=team',
  'tag=nobody',
  'failureCode=TASK_CRASHED',
  'failureText=disk 4711',
  'status=SUCCEEDED&type=batch-import&tag=team:team-27',
  `createdBefore=${middle}`,
  `createdBefore=${middle}&status=FAILED`,
];
const rows: Record<string, string> = {};
for (const [who, key] of Object.entries(keys)) {
  for (const query of queries) rows[`${who} ${query}`] = await time(key, query);
}
report(`list: ${jobs} jobs; median / slowest of ${calls} calls, how many found`, rows);
await api.close();
await sql.end();
await server.stop();

/** A second between two jobs; one of a hundred FAILED, one of a thousand RUNNING, one in ten tagged. */
async function seed(sql: Sql): Promise<void> {
  await sql`
    insert into jobs (job_id, tenant_id, type, status, execution_name, input, request_hash, correlation_id, tags,
                      failure, created_at, finished_at)
    select id, 'tenant-' || n % ${tenants}, (array['document-metadata', 'batch-import', 'order-settlement'])[1 + n % 3],
           status, id, '{"documentId": "d-1"}', repeat('0', 64), 'bench',
           case when n % 10 = 7 then jsonb_build_object('team', 'team-' || n % 50) else '{}' end,
           case when status = 'FAILED' then jsonb_build_object(
             'code', case when n % 1000 < 500 then 'TASK_CRASHED' else 'TASK_FAULT' end,
             'message', 'no space left on disk ' || n, 'retryable', true, 'state', 'ExtractMetadata') end,
           now() - (${jobs} - n) * interval '1 second',
           case when status <> 'RUNNING' then now() end
    from (select n, uuidv7() as id,
                 case when n % 1000 = 0 then 'RUNNING' when n % 100 = 7 then 'FAILED' else 'SUCCEEDED' end as status
          from generate_series(1, ${jobs}::integer) as n) as seeded`;
  await sql`
    insert into job_tags (tenant_id, tag, created_at, job_id)
    select tenant_id, tag, created_at, job_id
    from jobs, jsonb_each_text(tags) as pair (name, value), unnest(array[name, name || ':' || value]) as tag`;
  await sql`vacuum analyze jobs, job_tags`;
}

async function time(key: string, query: string): Promise<string> {
  const took: number[] = [];
  let found = 0;
  for (let index = 0; index < calls; index += 1) {
    const start = performance.now();
    const response = await fetch(`${api.url}/jobs?${query}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const page = (await response.json()) as { jobs: unknown[] };
    took.push(performance.now() - start);
    found = page.jobs.length;
  }
  took.sort((a, b) => a - b);
  const ms = (value = 0): string => value.toFixed(1);
  return `${ms(took[calls / 2])} / ${ms(took.at(-1))} ms, ${found}`;
}
