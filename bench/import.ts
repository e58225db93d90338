// batch-import of 100,000 rows in all of Pawl, and the same rows put into Postgres by nothing but inserts:
// `npm run bench -- import` (ROWS=… for another number). Also the redrive of one failed chunk, and memory.
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import postgres from 'postgres';
import { createPawlClient, type Job, JobNotSucceeded } from '../client/pawl-client.ts';
import { maxChunkRows } from '../tasks/import/plan-chunks.ts';
import { startPawl } from '../test/support/start-pawl.ts';
import { report, runMany } from './support/measure.ts';

const rows = Number(process.env['ROWS'] ?? 100_000);
/** MaxConcurrency of the Map. */
const childrenAtOnce = 6;
const lines = Array.from(
  { length: rows },
  (_, n) => `C-${n},"Customer ${n}, of many",Denpasar,2026-03-${(n % 28) + 1},${n * 7}`,
);
const payload = Buffer.from(['customer_id,name,city,joined,note', ...lines].join('\n'));

const pawl = await startPawl();
const { api, keys, databaseUrl } = pawl.runtime();
const client = createPawlClient({ url: api, key: keys.client });
const operator = createPawlClient({ url: api, key: keys.operator });
const sql = postgres(databaseUrl, { max: childrenAtOnce, onnotice: () => undefined });
const idle = memory();
const peaks = new Map(idle);
const watching = setInterval(noteMemory, 100);
try {
  const payloadRef = await client.upload(new Uint8Array(payload), 'text/csv');
  const importInto = (dataset: string): Promise<Job> =>
    client.submitAndWait({
      type: 'batch-import',
      input: { dataset, keyField: 'customer_id' },
      payloadRef,
    });
  const figures = {
    'inserts alone, rows/s': rate(await insertAlone()),
    'import, rows/s': rate(await timed(() => importInto('bench'))),
    'the same again, all rows there, rows/s': rate(await timed(() => importInto('bench'))),
    'redrive of the one chunk that failed, ms': Math.round(await redriveOneChunk(importInto)),
  };
  report(`import: ${rows} rows, ${(payload.length / 1e6).toFixed(1)} MB`, {
    ...figures,
    ...Object.fromEntries(
      [...peaks].map(([name, peak]) => [
        `memory of ${name}, MB idle / at most`,
        `${Math.round(idle.get(name) ?? 0)} / ${Math.round(peak)}`,
      ]),
    ),
  });
} finally {
  clearInterval(watching);
  await sql.end();
  await pawl.stop();
}

function rate(ms: number): number {
  return Math.round((rows * 1000) / ms);
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await run();
  return performance.now() - from;
}

/** The ceiling: as many rows a statement and as many statements at once as the Map has, and nothing else. */
async function insertAlone(): Promise<number> {
  await sql`create table alone (key text primary key, data jsonb not null)`;
  const { totalMs } = await runMany(
    Math.ceil(rows / maxChunkRows),
    childrenAtOnce,
    async (chunk) => {
      const data = lines.slice(chunk * maxChunkRows, (chunk + 1) * maxChunkRows).map((line) => {
        const [key = '', name = ''] = line.split(',', 2);
        return { key, data: { key, name, line } };
      });
      await sql`
      insert into alone (key, data)
      select key, data from jsonb_to_recordset(${sql.json(data)}) as given(key text, data jsonb)
      on conflict (key) do nothing`;
    },
  );
  return totalMs;
}

async function redriveOneChunk(importInto: (dataset: string) => Promise<Job>): Promise<number> {
  await refuseLastRow();
  const jobId = await idOfFailed(importInto('refused'));
  await sql`drop trigger refused on imported_rows`;
  return await timed(async () => {
    await operator.redrive(jobId, { mode: 'resume' });
    await client.wait(jobId);
  });
}

/** Its chunk fails, for good until that is mended. */
async function refuseLastRow(): Promise<void> {
  await sql.unsafe(`
    create function refuse_row() returns trigger language plpgsql as
    $$ begin raise exception 'refused for now'; end $$;
    create trigger refused before insert on imported_rows for each row
      when (new.dataset = 'refused' and new.key = 'C-${rows - 1}') execute function refuse_row()`);
}

async function idOfFailed(job: Promise<Job>): Promise<string> {
  try {
    const { jobId } = await job;
    throw new Error(`job ${jobId} was to fail`);
  } catch (error) {
    if (error instanceof JobNotSucceeded) return error.job.jobId;
    throw error;
  }
}

/** Resident memory of each process in MB, from Linux's /proc. Of postgres it is the first process only. */
function memory(): Map<string, number> {
  return new Map(
    Object.entries(pawl.runtime().pids).map(([name, pid]) => {
      const [, pages] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ');
      return [name, (Number(pages) * 4096) / 1e6];
    }),
  );
}

function noteMemory(): void {
  for (const [name, megabytes] of memory()) {
    peaks.set(name, Math.max(peaks.get(name) ?? 0, megabytes));
  }
}
