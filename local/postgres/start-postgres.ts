import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { commandLineOf, endsWithin, isAlive, signal } from '../processes/liveness.ts';
import { findBinaries } from './binaries.ts';
import { chooseIdentity, giveTo, type Identity } from './identity.ts';
import { readPidFile } from './pid-file.ts';

const USER = 'pawl';
const READY_TIMEOUT_MS = 60_000;
const FAST_SHUTDOWN_MS = 8_000;

export interface PostgresOptions {
  /** The cluster's own directory; made when missing. Its parent must exist. */
  readonly dataDir: string;
  readonly port: number;
  /** Of the user `pawl`; set when the cluster is made, and the same ever after. */
  readonly password: string;
  /** Where the server's own log goes (appended). */
  readonly logFile: string;
  /** Further settings, as in postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface RunningPostgres {
  readonly pid: number;
  readonly port: number;
  /** As whom the server runs, for people. */
  readonly identity: string;
  /** Settles when the server process has ended, however it ended. */
  readonly ended: Promise<void>;
  /** The connection string of a database of this server. */
  urlOf(database: string): string;
  /**
   * Fast shutdown: sessions are ended, everything is written, then the process ends. Past the time it is ended at once
   * (the next start recovers). May be called twice.
   */
  stop(timeoutMs?: number): Promise<void>;
  /** The running server no longer keeps this process from ending. */
  unref(): void;
}

/** The connection string of a database of a server on this machine. */
export const databaseUrl = (port: number, password: string, database: string): string =>
  `postgres://${USER}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;

/**
 * Starts the server on loopback and resolves when it takes connections; initialises the cluster the first time.
 *
 * An orphan of an earlier run (its parent was killed with -9) is stopped first. A server that is killed itself leaves
 * its children, which end by themselves a moment later; until then PostgreSQL refuses to start on the same data, so a
 * start that fails for that reason is tried again.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const { initdb, postgres } = await findBinaries();
  const identity = chooseIdentity(postgres, options.dataDir, dirname(options.dataDir));
  if (!existsSync(options.dataDir)) initialise(initdb, identity, options);
  await stopOrphan(options.dataDir);

  const deadline = performance.now() + READY_TIMEOUT_MS;
  for (;;) {
    const child = spawnServer(postgres, identity, options);
    const ended = new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
      child.once('error', () => resolve());
    });
    const ready = await waitUntilReady(options.dataDir, child, deadline);
    if (ready) return describe(options, identity, child, ready, ended);
    const reason = lastLines(options.logFile);
    const leftoverOfLast =
      /lock file "postmaster\.pid" already exists|pre-existing shared memory block/;
    if (!leftoverOfLast.test(reason) || performance.now() > deadline) {
      throw new Error(
        `PostgreSQL did not start on port ${options.port}. The end of ${options.logFile}:\n${reason}`,
      );
    }
    await delay(100);
  }
}

function describe(
  { port, password }: PostgresOptions,
  identity: Identity,
  child: ChildProcess,
  pid: number,
  ended: Promise<void>,
): RunningPostgres {
  return {
    pid,
    port,
    identity: identity.description,
    ended,
    urlOf: (database) => databaseUrl(port, password, database),
    stop: async (timeoutMs) => {
      child.ref(); // else a process that has nothing else to do ends before it has heard of the server's end
      await stopServer(pid, timeoutMs);
      await ended;
    },
    unref: () => child.unref(),
  };
}

/** Into a directory beside it, renamed at the end: a half-made cluster never has the final name. */
function initialise(
  initdb: string,
  identity: Identity,
  { dataDir, password }: PostgresOptions,
): void {
  const unfinished = `${dataDir}.unfinished`;
  const passwordFile = `${dataDir}.password`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  giveTo(identity, unfinished);
  giveTo(identity, passwordFile);
  const [command, ...args] = identity.wrap(initdb, [
    `--pgdata=${unfinished}`,
    `--username=${USER}`,
    '--auth=scram-sha-256',
    `--pwfile=${passwordFile}`,
    '--locale=C',
    '--encoding=UTF8',
  ]);
  const result = spawnSync(command, args, {
    ...identity.spawnOptions,
    encoding: 'utf8',
    cwd: '/',
  });
  rmSync(passwordFile);
  if (result.status !== 0) {
    throw new Error(
      `initdb failed in ${unfinished}:\n${result.error?.message ?? ''}${result.stdout}${result.stderr}`,
    );
  }
  renameSync(unfinished, dataDir);
}

function spawnServer(postgres: string, identity: Identity, options: PostgresOptions): ChildProcess {
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    port: String(options.port),
    unix_socket_directories: '',
    max_connections: '200',
    log_line_prefix: '%m [%p] ',
    // DETAIL quotes whole rows, and what clients send has no place in a log.
    log_error_verbosity: 'terse',
    ...options.settings,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const [command, ...args] = identity.wrap(postgres, ['-D', options.dataDir, ...flags]);
  const log = openSync(options.logFile, 'a');
  try {
    // Its own process group: the terminal's Ctrl-C must not reach it before those who still use it have stopped.
    return spawn(command, args, {
      ...identity.spawnOptions,
      detached: true,
      stdio: ['ignore', log, log],
      cwd: '/',
    });
  } finally {
    closeSync(log);
  }
}

/** The pid when the server says it is ready, undefined when it ended first. */
async function waitUntilReady(
  dataDir: string,
  child: ChildProcess,
  deadline: number,
): Promise<number | undefined> {
  while (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
    const file = readPidFile(dataDir);
    if (file?.ready && file.pid === child.pid) return child.pid;
    if (performance.now() > deadline) {
      await stopServer(child.pid);
      return undefined;
    }
    await delay(5);
  }
  return undefined;
}

async function stopOrphan(dataDir: string): Promise<void> {
  const file = readPidFile(dataDir);
  // After a reboot the pid may be somebody else's: only a command line that names our data is ours.
  if (file && isAlive(file.pid) && commandLineOf(file.pid)?.includes(dataDir))
    await stopServer(file.pid);
}

/** SIGINT is PostgreSQL's fast shutdown; SIGTERM would wait for every session, and so for ever on a pool. */
async function stopServer(pid: number, timeoutMs = FAST_SHUTDOWN_MS): Promise<void> {
  signal(pid, 'SIGINT');
  if (await endsWithin(pid, timeoutMs)) return;
  signal(pid, 'SIGQUIT'); // immediate: the next start recovers from the log
  if (await endsWithin(pid, 2_000)) return;
  signal(pid, 'SIGKILL');
  await endsWithin(pid, 2_000);
}

function lastLines(path: string): string {
  return readFileSync(path, 'utf8').trim().split('\n').slice(-8).join('\n');
}
