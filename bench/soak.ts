// Jobs of five steps at a steady rate for a long time: memory and file descriptors of every process, and the size of every
// table, each minute: `npm run bench -- soak` (MINUTES=60, PER_SECOND=20). Exits 1 where something keeps growing.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { openClient } from './support/keep-alive-client.ts';
import { report } from './support/measure.ts';
import { startBenchedPawl } from './support/pawl-with-five-steps.ts';

const minutes = Number(process.env['MINUTES'] ?? 60);
const perSecond = Number(process.env['PER_SECOND'] ?? 20);
/** Growth over the second half that counts as flat: caches fill, heaps breathe. */
const flatShare = 1.15;
const flatMegabytes = 40;

const bench = await startBenchedPawl();
const { sql } = bench;
const { api, keys, pids } = bench.pawl.runtime();
const client = openClient(api, keys.client, 500);
const began = performance.now();
const samples: Sample[] = [];
let submitted = 0;
let failed = 0;

const sampling = sampleEachMinute();
await submitSteadily();
await sampling;
const growing = verdicts();
report(`soak: ${minutes} min, ${perSecond} jobs/s`, {
  'jobs submitted, not SUCCEEDED': `${submitted}, ${failed}`,
  ...Object.fromEntries(growing.map(({ name, text }) => [name, text])),
});
client.close();
await bench.stop();
process.exitCode = failed > 0 || growing.some(({ isGrowing }) => isGrowing) ? 1 : 0;

/** By name: resident megabytes and open file descriptors of a process. */
type Sample = {
  readonly memory: ReadonlyMap<string, number>;
  readonly descriptors: ReadonlyMap<string, number>;
};

async function submitSteadily(): Promise<void> {
  const running = new Set<Promise<void>>();
  for (let n = 0; n < perSecond * 60 * minutes; n += 1) {
    await delay(Math.max(0, began + (n * 1_000) / perSecond - performance.now()));
    const one = submitAndWait(n).finally(() => running.delete(one));
    running.add(one);
  }
  await Promise.all(running);
}

async function submitAndWait(n: number): Promise<void> {
  submitted += 1;
  const accepted = await client.ask('POST', '/jobs', {
    type: 'five-steps',
    input: { n: String(n) },
  });
  if (accepted.status !== 202) {
    failed += 1;
    return;
  }
  const { jobId } = JSON.parse(accepted.body) as { jobId: string };
  const { body } = await client.ask('GET', `/jobs/${jobId}`, undefined, { prefer: 'wait=60' });
  const { status } = JSON.parse(body) as { status: string };
  if (status !== 'SUCCEEDED') failed += 1;
}

async function sampleEachMinute(): Promise<void> {
  for (let minute = 0; minute <= minutes; minute += 1) {
    await delay(Math.max(0, began + minute * 60_000 - performance.now()));
    samples.push({
      memory: ofEach((all) => sumOf(all, megabytes)),
      descriptors: ofEach((all) => sumOf(all, descriptors)),
    });
    const [tables] = await sql<{ megabytes: number; dead: number }[]>`
      select (sum(pg_total_relation_size(relid)) / 1e6)::double precision as megabytes,
             sum(n_dead_tup)::double precision as dead
      from pg_stat_user_tables`;
    console.log(
      `minute ${minute}: ${submitted} jobs, tables ${tables?.megabytes.toFixed(0)} MB, ${tables?.dead} dead rows; MB`,
      Object.fromEntries(samples.at(-1)?.memory ?? []),
    );
  }
}

function verdicts() {
  const middle = samples[Math.floor(samples.length / 2)];
  const end = samples.at(-1);
  return Object.keys(pids).flatMap((name) => {
    const [memoryThen, memoryNow] = [middle?.memory.get(name) ?? 0, end?.memory.get(name) ?? 0];
    const [filesThen, filesNow] = [
      middle?.descriptors.get(name) ?? 0,
      end?.descriptors.get(name) ?? 0,
    ];
    const isGrowing =
      (memoryNow > memoryThen * flatShare && memoryNow > memoryThen + flatMegabytes) ||
      filesNow > filesThen * flatShare + 10;
    return [
      {
        name,
        isGrowing,
        text: `${memoryThen} → ${memoryNow} MB, ${filesThen} → ${filesNow} descriptors${isGrowing ? ': GROWS' : ''}`,
      },
    ];
  });
}

/** By name: what `measure` says of a process and those that it has started (PostgreSQL has one for each connection). */
function ofEach(measure: (pids: readonly number[]) => number): ReadonlyMap<string, number> {
  return new Map(
    Object.entries(pids).map(([name, pid]) => [name, measure([pid, ...childrenOf(pid)])]),
  );
}

function childrenOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.split(' ').filter(Boolean).map(Number);
}

/** A process may end while it is looked at. */
function sumOf(all: readonly number[], of: (pid: number) => number): number {
  const each = all.map((pid) => {
    try {
      return of(pid);
    } catch {
      return 0;
    }
  });
  return Math.round(each.reduce((sum, one) => sum + one, 0));
}

/** Open descriptors; of a table's files, which each connection of PostgreSQL keeps open once it has touched them, none. */
function descriptors(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  const targets = readdirSync(folder).map((name) => targetOf(`${folder}/${name}`));
  return targets.filter((target) => !/\/base\/\d+\/|\/global\//.test(target)).length;
}

/** A descriptor may be closed while it is looked at. */
function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}

/**
 * What a process holds by itself, and its share of what it holds with others: memory that many map counts once. Without
 * PostgreSQL's shared buffers, of which each page counts from its first use until they are full.
 */
function megabytes(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const kilobytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(rollup)?.[1] ?? 0);
  return (kilobytes('Pss') - kilobytes('Pss_Shmem')) / 1_000;
}
