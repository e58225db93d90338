// batch-import of 100,000 rows in all of Pawl: `npm run bench -- import` (ROWS=… for another number).
// Prints rows a second, the memory of each process, and what the redrive of one chunk of them costs.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import postgres from 'postgres';
import { startPawl } from '../test/support/start-pawl.ts';

type Job = {
  readonly jobId: string;
  readonly status: string;
  readonly result: unknown;
  readonly failure: unknown;
};

const rows = Number(process.env['ROWS'] ?? 100_000);
const payload = Buffer.from(
  [
    'customer_id,name,city,joined,note',
    ...Array.from(
      { length: rows },
      (_, n) => `C-${n},"Customer ${n}, of many",Denpasar,2026-03-${String((n % 28) + 1)},${n * 7}`,
    ),
  ].join('\n'),
);

const pawl = await startPawl();
const sql = postgres(pawl.runtime().databaseUrl, { max: 1, onnotice: () => undefined });
const peaks = new Map<string, number>();
const watch = setInterval(takeMemory, 100);
try {
  const megabytes = (payload.length / 1e6).toFixed(1);
  console.log(`${rows} rows, ${megabytes} MB`);
  const payloadRef = await upload();
  console.log(`import: ${await timed(() => submit('bench', payloadRef))}`);
  console.log(`the same again, all rows there: ${await timed(() => submit('bench', payloadRef))}`);
  await refuse(true);
  const failed = await submit('refused', payloadRef);
  await refuse(false);
  console.log(`a run in which the last chunk is refused: ${failed.status}`);
  console.log(`its redrive: ${await timed(() => redrive(failed.jobId))}`);
  for (const [name, peak] of peaks) console.log(`${name}: at most ${Math.round(peak)} MB`);
} finally {
  clearInterval(watch);
  await sql.end();
  await pawl.stop();
}

async function timed(run: () => Promise<Job>): Promise<string> {
  const from = performance.now();
  const job = await run();
  const seconds = (performance.now() - from) / 1000;
  const rate = Math.round(rows / seconds);
  const outcome = JSON.stringify(job.result ?? job.failure);
  return `${job.status} in ${seconds.toFixed(1)} s, ${rate} rows/s, ${outcome}`;
}

async function upload(): Promise<unknown> {
  const sha256 = createHash('sha256').update(payload).digest('hex');
  const asked = await call<{
    uploadUrl?: string;
    headers?: Record<string, string>;
    parts?: { url: string; headers: Record<string, string> }[];
    completeUrl?: string;
    payloadRef: unknown;
  }>('/uploads', { sha256, size: payload.length, contentType: 'text/csv' });
  if (asked.uploadUrl === undefined)
    throw new Error('the payload is more than one PUT: lower ROWS');
  const headers = new Headers(asked.headers);
  headers.delete('content-length');
  const put = { method: 'PUT', headers, body: new Uint8Array(payload) };
  const { ok, status } = await fetch(asked.uploadUrl, put);
  if (!ok) throw new Error(`the PUT answered ${status}`);
  return asked.payloadRef;
}

async function submit(dataset: string, payloadRef: unknown): Promise<Job> {
  const input = { dataset, keyField: 'customer_id' };
  return await settled(
    (await call<Job>('/jobs', { type: 'batch-import', input, payloadRef })).jobId,
  );
}

async function redrive(jobId: string): Promise<Job> {
  await call(`/jobs/${jobId}/redrive`, { mode: 'resume' }, 'operator');
  return await settled(jobId);
}

async function settled(jobId: string): Promise<Job> {
  for (;;) {
    const job = await call<Job>(`/jobs/${jobId}`);
    if (!['PENDING', 'RUNNING'].includes(job.status)) return job;
    await delay(50);
  }
}

async function call<Answer>(
  path: string,
  body?: unknown,
  key: 'client' | 'operator' = 'client',
): Promise<Answer> {
  const { api, keys } = pawl.runtime();
  const response = await fetch(`${api}${path}`, {
    headers: { authorization: `Bearer ${keys[key]}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
  return JSON.parse(text) as Answer;
}

/** The last chunk fails, for good until it is mended. */
async function refuse(wanted: boolean): Promise<void> {
  if (!wanted) {
    await sql`drop trigger refused on imported_rows`;
    return;
  }
  await sql.unsafe(`
    create function refuse_row() returns trigger language plpgsql as
    $$ begin raise exception 'refused for now'; end $$;
    create trigger refused before insert on imported_rows for each row
      when (new.dataset = 'refused' and new.key = 'C-${rows - 1}') execute function refuse_row()`);
}

/** Resident memory, from Linux's /proc. */
function takeMemory(): void {
  for (const [name, pid] of Object.entries(pawl.runtime().pids)) {
    const [, pages] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ');
    const megabytes = (Number(pages) * 4096) / 1e6;
    peaks.set(name, Math.max(peaks.get(name) ?? 0, megabytes));
  }
}
