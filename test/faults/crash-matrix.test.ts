import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CrashPoint, crashPoints } from '../../jobs/crash-point.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Accepted, comeToRest, violations } from './invariants.ts';
import { killsMany, type Lab, startLab } from './lab.ts';
import { obedient, type Ready, type Scenario, type ScenarioName, scenarios } from './scenarios.ts';

/** Which ways lead over which boundary: a new crash point without one does not compile. */
const ways = {
  'before-submit-commit': ['succeed'],
  'after-submit-commit': ['succeed'],
  'before-cancel-commit': ['cancel'],
  'after-cancel-commit': ['cancel'],
  'before-redrive-commit': ['resume'],
  'after-redrive-commit': ['resume', 'restart'],
  'before-send-message-batch': ['succeed', 'later'],
  'after-send-message-batch': ['succeed', 'later'],
  'after-publish-recorded': ['succeed', 'later'],
  'after-message-received': ['succeed'],
  'after-message-claimed': ['succeed'],
  'before-start-execution': ['succeed', 'restart'],
  'after-start-execution': ['succeed', 'restart'],
  'after-start-recorded': ['succeed'],
  'before-redrive-execution': ['resume'],
  'after-redrive-execution': ['resume'],
  'after-redrive-recorded': ['resume'],
  'before-stop-execution': ['cancel', 'postpone'],
  'after-stop-execution': ['cancel', 'postpone'],
  'before-message-postponed': ['postpone'],
  'after-message-postponed': ['postpone'],
  'after-message-quarantined': ['poison'],
  'before-execution-event-applied': ['fail'],
  'after-execution-event-applied': ['fail'],
  'before-delete-message': ['succeed'],
  'after-delete-message': ['succeed'],
  'before-run-opened': ['succeed'],
  'after-run-opened': ['succeed'],
  'before-effect-intention': ['succeed'],
  'after-effect-intention': ['succeed'],
  'after-provider-request': ['succeed'],
  'after-provider-answer': ['succeed'],
  'after-effect-recorded': ['succeed'],
  'before-job-finished': ['succeed', 'fail'],
  'before-ordering-key-handed-on': ['ordered'],
  'after-job-finished': ['succeed', 'fail'],
  'before-message-resent': ['lost'],
  'after-message-resent': ['lost'],
} as const satisfies Readonly<Record<CrashPoint, readonly ScenarioName[]>>;

const cases = (Object.keys(crashPoints) as CrashPoint[]).flatMap((point) =>
  ways[point].map((way) => ({ point, way, scenario: scenarios[way] as Scenario })),
);

type Row = { readonly point: CrashPoint; readonly way: ScenarioName; readonly killed: string };

/** One of each third in turn: what was killed last starts again while another process is killed. */
function interleaved<Item>(items: readonly Item[]): Item[] {
  const third = Math.ceil(items.length / 3);
  return items
    .slice(0, third)
    .flatMap((_, index) => [index, index + third, index + 2 * third])
    .flatMap((index) => items.slice(index, index + 1));
}

/** Every pid that a process has had so far. */
function pidNames(lab: Lab): { nameOf(pid: number): string | undefined; look(): void } {
  const names = new Map<number, string>();
  return {
    nameOf: (pid) => names.get(pid),
    look: () => {
      for (const [name, pid] of Object.entries(lab.pawl.runtime().pids)) names.set(pid, name);
    },
  };
}

/** Kills a process at the point while a job goes over it; gives its pid, and the jobs that must still end well. */
async function killAt(lab: Lab, point: CrashPoint, ready: Ready, look: () => void) {
  lab.arm(point);
  const crossing = ready.cross(() => lab.diedAt(point) !== undefined);
  crossing.catch(() => undefined); // reported where it is awaited
  const pid = await waitFor(
    () => {
      look();
      return lab.diedAt(point);
    },
    90_000,
    `a process to die at ${point}`,
  );
  return { pid, crossing };
}

test('whichever boundary a process is killed at, every job ends as it should, once in effect', async (t) => {
  const lab = await startLab(killsMany);
  t.after(() => lab.stop());
  obedient(lab);
  const pids = pidNames(lab);
  const rows: Row[] = [];
  const crossings: Promise<readonly Accepted[]>[] = [];
  const ready = await Promise.all(
    cases.map(async (one) => ({ ...one, ready: await one.scenario.begin(lab) })),
  );
  for (const { point, way, ready: begin } of interleaved(ready)) {
    const { pid, crossing } = await killAt(lab, point, begin, () => pids.look());
    rows.push({ point, way, killed: pids.nameOf(pid) ?? `process ${pid}` });
    crossings.push(crossing);
  }
  const accepted = (await Promise.all(crossings)).flat();
  await comeToRest(lab, 90_000).catch((error: unknown) => t.diagnostic(String(error)));
  const quarantined = cases.filter(({ scenario }) => scenario.quarantines).length;
  const secrets = ['the bytes of'];
  const wrong = await violations(lab, { accepted, quarantined, secrets });
  for (const { point, way, killed } of rows)
    t.diagnostic(`${point.padEnd(32)} ${way.padEnd(9)} ${killed}`);
  t.diagnostic(`${rows.length} kills, ${accepted.length} jobs, ${wrong.length} violations`);
  assert.deepEqual(wrong, []);
});
