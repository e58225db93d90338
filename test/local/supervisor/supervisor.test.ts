import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { isAlive } from '../../../local/processes/liveness.ts';
import { nodeService } from '../../../local/supervisor/node-service.ts';
import { Supervisor } from '../../../local/supervisor/supervisor.ts';
import { waitFor } from '../../support/wait-for.ts';

const dir = mkdtempSync(join(tmpdir(), 'pawl-supervisor-'));
after(() => rmSync(dir, { recursive: true, force: true }));

function setUp() {
  const said: string[] = [];
  let pids: ReadonlyMap<string, number> = new Map();
  const supervisor = new Supervisor({
    say: (line) => said.push(line),
    changed: (now) => (pids = now),
  });
  return { supervisor, said, pidOf: (name: string) => pids.get(name) ?? 0 };
}

const service = (name: string, env: Readonly<Record<string, string>> = {}) =>
  nodeService({
    name,
    script: 'test/local/supervisor/scripts/stubborn.ts',
    env: { ...process.env, ...env },
    logFile: join(dir, `${name}.log`),
    ready: { kind: 'log', text: 'ready' },
    spawned: () => undefined,
  });

test('a process that ends is started again, and that is said', async () => {
  const { supervisor, said, pidOf } = setUp();
  await supervisor.start(service('mortal'));
  for (let count = 0; count < 3; count += 1) {
    const killed = pidOf('mortal');
    process.kill(killed, 'SIGKILL');
    await waitFor(() => pidOf('mortal') !== killed, 10_000);
  }
  assert.equal(said.filter((line) => line.includes('mortal ended (SIGKILL)')).length, 3);
  await supervisor.stop([{ name: 'mortal', graceMs: 2_000 }]);
  assert.ok(!isAlive(pidOf('mortal')));
});

test('processes are stopped one after the other in the order given, those that do not listen by force', async () => {
  const { supervisor, pidOf } = setUp();
  await supervisor.start(service('first', { STUBBORN: '1' }));
  await supervisor.start(service('second', { STUBBORN: '1' }));
  const stopped = supervisor.stop([
    { name: 'first', graceMs: 500 },
    { name: 'second', graceMs: 500 },
  ]);
  assert.ok(await waitFor(() => !isAlive(pidOf('first')) && isAlive(pidOf('second')), 5_000));
  await stopped;
  assert.ok(!isAlive(pidOf('second')));
});

test('a process that does not get ready is an error that shows the end of its log', async () => {
  const { supervisor } = setUp();
  await assert.rejects(supervisor.start(service('broken', { BROKEN: '1' })), {
    message: /broken did not get ready: exit code 1.*nothing to read from/s,
  });
  await supervisor.stop([]);
});

test('a start that is stopped half-way leaves no process', async () => {
  const { supervisor } = setUp();
  const pids: number[] = [];
  const slow = nodeService({
    name: 'slow',
    script: 'test/local/supervisor/scripts/stubborn.ts',
    env: process.env,
    logFile: join(dir, 'slow.log'),
    ready: { kind: 'log', text: 'never written' },
    spawned: (_name, pid) => pids.push(pid),
  });
  const started = assert.rejects(supervisor.start(slow), { message: /stopped while starting/ });
  await waitFor(() => pids.length === 1, 5_000);
  await supervisor.stop([{ name: 'slow', graceMs: 1_000 }]);
  await started;
  assert.ok(!isAlive(pids[0] ?? 0));
});
