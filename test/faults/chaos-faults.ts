import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { RuntimeProcess } from '../../local/supervisor/runtime-file.ts';
import type { Lab } from './lab.ts';
import type { Behaviour } from './provider.ts';
import { between, randomOf } from './random.ts';

/** One thing that goes wrong, `atMs` after the start. */
export type Fault = {
  readonly atMs: number;
  readonly kind: keyof typeof actions;
  readonly lastsMs: number;
};

const kill =
  (name: RuntimeProcess) =>
  async (lab: Lab): Promise<void> => {
    signal(lab.pidOf(name), 'SIGKILL');
  };

/** What can go wrong, by its name in the report. */
const actions = {
  'kill -9 api': kill('api'),
  'kill -9 worker': kill('worker'),
  'kill -9 lambda': kill('lambda'),
  'kill -9 engine': kill('engine'),
  'kill -9 cloud': kill('cloud'),
  'kill -9 postgres': kill('postgres'),
  'postgres stands still': async (lab: Lab, { lastsMs }: Fault) => {
    const pids = withChildren(lab.pidOf('postgres'));
    for (const pid of pids) signal(pid, 'SIGSTOP');
    await delay(lastsMs);
    for (const pid of pids) signal(pid, 'SIGCONT');
  },
  'backends terminated': async (lab: Lab) => {
    await lab.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where pid <> pg_backend_pid() and application_name like 'pawl%'`;
  },
} satisfies Readonly<Record<string, (lab: Lab, fault: Fault) => Promise<void>>>;

/** The same faults for the same seed. */
export function faultsOf(seed: number, seconds: number): Fault[] {
  const random = randomOf(seed, 'faults');
  const kinds = Object.keys(actions) as (keyof typeof actions)[];
  const faults: Fault[] = [];
  for (let atMs = 500; atMs < seconds * 1_000; atMs += between(random, 300, 1_700)) {
    const kind = kinds[between(random, 0, kinds.length)] ?? 'kill -9 worker';
    faults.push({ atMs, kind, lastsMs: between(random, 0, 2_000) });
  }
  return faults;
}

/** Lets the faults strike at their times; also while what the one before broke is recovering. Counts them. */
export async function strike(lab: Lab, faults: readonly Fault[]): Promise<Map<string, number>> {
  const startedAt = performance.now();
  const counts = new Map<string, number>();
  const running: Promise<void>[] = [];
  for (const fault of faults) {
    await delay(Math.max(0, fault.atMs - (performance.now() - startedAt)));
    counts.set(fault.kind, (counts.get(fault.kind) ?? 0) + 1);
    // A fault may find its victim down already, by the one before.
    running.push(actions[fault.kind](lab, fault).catch(() => undefined));
  }
  await Promise.all(running);
  return counts;
}

/** How the provider treats a call: by the seed, the key and how often it was called; well when `isOver`. */
export function moodOf(
  seed: number,
  isOver: () => boolean,
): (key: string) => Behaviour | undefined {
  const calls = new Map<string, number>();
  const startedAt = performance.now();
  return (key) => {
    if (key.includes('refused')) return { work: false, status: 400 };
    const call = (calls.get(key) ?? 0) + 1;
    calls.set(key, call);
    if (isOver()) return undefined;
    // Out of service for two of every fifteen seconds.
    if ((performance.now() - startedAt) % 15_000 > 13_000)
      return { work: false, status: 503, headers: { 'retry-after': '1' } };
    const random = randomOf(seed, `provider ${key} ${call}`);
    const dice = random();
    if (dice < 0.1) return { cut: true }; // it did it, and the answer is lost
    if (dice < 0.15) return { work: false, cut: true };
    if (dice < 0.18) return { status: 500 };
    if (dice < 0.21) return { work: false, status: 503 };
    if (dice < 0.3) return { delayMs: between(random, 100, 2_000) };
    return undefined;
  };
}

function signal(pid: number, name: NodeJS.Signals): void {
  if (pid <= 0) return;
  try {
    process.kill(pid, name);
  } catch {
    // it is gone already
  }
}

const withChildren = (pid: number): number[] => {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return [pid, ...children.split(' ').filter(Boolean).map(Number)];
};
