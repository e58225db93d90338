import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';

// A package of its own whose only dependency is a folder: npm ci on it is real and needs no network.
const dir = mkdtempSync(join(tmpdir(), 'pawl-bootstrap-'));
after(() => rmSync(dir, { recursive: true, force: true }));
const bootstrap = join(dir, 'bootstrap.mjs');
copyFileSync(fileURLToPath(new URL('../../bootstrap.mjs', import.meta.url)), bootstrap);
writeFileSync(
  join(dir, 'script.ts'),
  `const [mode, code]: string[] = process.argv.slice(2);
   process.on('SIGTERM', () => process.exit(8));
   if (mode === 'stay') setInterval(() => undefined, 60_000);
   console.log('running', mode, process.ppid === Number(process.env['PAWL_BOOTSTRAP_PID']));
   if (mode === 'exit') process.exit(Number(code));`,
);

mkdirSync(join(dir, 'dependency'));
writeFileSync(join(dir, 'dependency/package.json'), '{"name":"dependency","version":"1.0.0"}');

function setVersion(version: string): void {
  const root = { name: 'probe', version, dependencies: { dependency: 'file:dependency' } };
  const packages = {
    '': root,
    dependency: { version: '1.0.0' },
    'node_modules/dependency': { resolved: 'dependency', link: true },
  };
  writeFileSync(join(dir, 'package.json'), JSON.stringify(root));
  writeFileSync(
    join(dir, 'package-lock.json'),
    JSON.stringify({ name: 'probe', version, lockfileVersion: 3, requires: true, packages }),
  );
}

beforeEach(() => {
  rmSync(join(dir, 'node_modules'), { recursive: true, force: true });
  setVersion('1.0.0');
});

function start(...args: string[]): ChildProcess {
  return spawn(process.execPath, [bootstrap, 'script.ts', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function run(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const child = start(...args);
  let [out, err] = ['', ''];
  child.stdout?.on('data', (chunk) => (out += String(chunk)));
  child.stderr?.on('data', (chunk) => (err += String(chunk)));
  await once(child, 'close');
  return { code: child.exitCode, out, err };
}

const installs = (err: string): number => err.split('Installing dependencies').length - 1;

test('it installs at the first start and not at the next, and passes arguments and exit code through', async () => {
  const first = await run('exit', '7');
  assert.equal(first.code, 7, first.err);
  assert.equal(first.out, 'running exit true\n');
  assert.equal(installs(first.err), 1);
  const second = await run('exit', '0');
  assert.deepEqual([second.code, second.err], [0, '']);
});

test('it installs again when package-lock.json has changed', async () => {
  await run('exit', '0');
  setVersion('1.0.1');
  assert.equal(installs((await run('exit', '0')).err), 1);
});

test('of two at once one installs and the other waits for it', async () => {
  const both = await Promise.all([run('exit', '0'), run('exit', '0')]);
  assert.deepEqual(
    both.map(({ code }) => code),
    [0, 0],
  );
  assert.equal(installs(both.map(({ err }) => err).join('')), 1);
  assert.ok(!existsSync(join(dir, '.install.lock')));
});

test('the lock of an installer that was killed is taken over', async () => {
  const lock = join(dir, '.install.lock');
  writeFileSync(lock, '');
  const longAgo = new Date(Date.now() - 60_000);
  utimesSync(lock, longAgo, longAgo);
  assert.equal((await run('exit', '0')).code, 0);
});

test('SIGTERM reaches the script, whose exit code is kept', async () => {
  const child = start('stay');
  const exited = once(child, 'exit');
  await Promise.race([once(child.stdout ?? child, 'data'), exited]);
  child.kill('SIGTERM');
  assert.deepEqual(await exited, [8, null]);
});

test('a failed install says so and starts nothing', async () => {
  writeFileSync(join(dir, 'package-lock.json'), '{}');
  const { code, out, err } = await run('exit', '0');
  assert.equal(code, 1);
  assert.equal(out, '');
  assert.match(err, /npm ci ended with \d+; nothing was started/);
});
