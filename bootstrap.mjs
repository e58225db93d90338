// Every npm script goes through here: `node bootstrap.mjs <script> …args`.
// Installs what is missing or stale, then runs the script under the Node that package-lock.json pins, passing signals
// and the exit code through. Plain JavaScript without dependencies, because it runs before there are any, under
// whichever Node (20 or newer) called npm.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  openSync,
  closeSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { constants } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('.', import.meta.url));
const modules = join(root, 'node_modules');
const stampFile = join(modules, '.pawl-installed');
const lockFile = join(root, '.install.lock');
const pinnedNode = join(modules, '.bin', 'node');

const QUIET = ['--no-fund', '--no-audit', '--no-update-notifier'];
/** The oldest Node that runs the TypeScript files, where the package brings none for this platform. */
const OLDEST_NODE_MAJOR = 24;
/** A live installer touches its lock every second; an older lock was left by one that was killed. */
const LOCK_STALE_MS = 10_000;

try {
  await installIfStale();
  runScript(chooseNode());
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function installIfStale() {
  if (isInstalled()) return;
  await takeInstallLock();
  const heartbeat = setInterval(() => {
    const now = new Date();
    utimesSync(lockFile, now, now);
  }, 1_000);
  try {
    if (isInstalled()) return; // by the one who held the lock
    console.error('Installing dependencies (npm ci) …');
    const startedAt = performance.now();
    await runNpmCi();
    chooseNode();
    writeFileSync(stampFile, wantedStamp());
    console.error(`Installed in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`);
  } finally {
    clearInterval(heartbeat);
    rmSync(lockFile, { force: true });
  }
}

function isInstalled() {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wantedStamp();
}

function wantedStamp() {
  const lock = readFileSync(join(root, 'package-lock.json'));
  const digest = createHash('sha256').update(lock).digest('hex');
  return `${digest} ${process.platform} ${process.arch}\n`;
}

/** Two installers in one tree would delete each other's files. */
async function takeInstallLock() {
  for (let told = false; ; told = true) {
    try {
      closeSync(openSync(lockFile, 'wx'));
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') {
        throw new Error(`Cannot install: ${root} is not writable (${error.message}).`, {
          cause: error,
        });
      }
    }
    if (lockAgeMs() > LOCK_STALE_MS) rmSync(lockFile, { force: true });
    else {
      if (!told) console.error('Another start is installing dependencies; waiting for it …');
      await delay(200);
    }
  }
}

function lockAgeMs() {
  const stat = statSync(lockFile, { throwIfNoEntry: false });
  return stat ? Date.now() - stat.mtimeMs : 0;
}

/** Dev and optional packages are wanted whatever NODE_ENV says: the tests and both Nodes are among them. */
function runNpmCi() {
  const npm = findNpm();
  const args = ['ci', '--loglevel=error', '--include=dev', '--include=optional', ...QUIET];
  const child = spawn(npm[0], [...npm.slice(1), ...args], {
    cwd: root,
    stdio: ['ignore', 2, 'inherit'],
  });
  const stopForwarding = forwardSignals(child);
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new Error(`npm could not be started: ${error.message}`)));
    child.once('exit', (code, signal) => {
      stopForwarding();
      if (code === 0) resolve();
      else reject(new Error(`npm ci ended with ${signal ?? code}; nothing was started.`));
    });
  });
}

/** npm's own Node runs it where known: the pinned one, which may run us, is being replaced meanwhile. */
function findNpm() {
  const { npm_execpath: cli, npm_node_execpath: node } = process.env;
  if (cli && basename(cli).startsWith('npm-cli') && existsSync(cli)) {
    return [node && existsSync(node) ? node : process.execPath, cli];
  }
  return ['npm'];
}

/** The pinned Node, or the running one where there is none for this platform. npm's exit code says nothing about it. */
function chooseNode() {
  if (existsSync(stampFile) && existsSync(pinnedNode)) return pinnedNode; // seen running when it was installed
  const probe = spawnSync(pinnedNode, ['--version'], { encoding: 'utf8' });
  if (probe.status === 0) return pinnedNode;
  if (Number.parseInt(process.versions.node, 10) >= OLDEST_NODE_MAJOR) return process.execPath;
  const problem = probe.error?.message ?? probe.stderr;
  throw new Error(
    `The pinned Node does not run (${pinnedNode}: ${problem.trim()}), and Node ${process.versions.node} is too old ` +
      `to take its place: install Node ${OLDEST_NODE_MAJOR}, or see why npm ci left it out (--omit=optional?).`,
  );
}

function runScript(node) {
  const [script, ...args] = process.argv.slice(2);
  if (script === undefined) throw new Error('usage: node bootstrap.mjs <script> …args');
  const env = {
    ...process.env,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(modules, '.cache', 'node-compile'),
    PAWL_BOOTSTRAP_PID: String(process.pid),
    PAWL_STARTED_AT: String(performance.timeOrigin),
  };
  const child = spawn(node, [join(root, script), ...args], { stdio: 'inherit', env });
  forwardSignals(child);
  child.once('error', (error) => {
    console.error(`${node} could not be started: ${error.message}`);
    process.exitCode = 1;
  });
  child.once('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

/** Also when npm is killed with -9, which tells nobody: its child then gets another parent. */
function forwardSignals(child) {
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const forward = (name) => child.kill(name);
  for (const name of names) process.on(name, forward);
  const npm = process.ppid;
  const watch = setInterval(() => {
    if (process.env.npm_lifecycle_event && process.ppid !== npm) forward('SIGTERM');
  }, 500);
  watch.unref();
  return () => {
    clearInterval(watch);
    for (const name of names) process.off(name, forward);
  };
}
