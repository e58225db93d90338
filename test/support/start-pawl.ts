import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { guard } from '../../local/processes/guard.ts';
import { endsWithin } from '../../local/processes/liveness.ts';
import type { Runtime, RuntimeProcess } from '../../local/supervisor/runtime-file.ts';
import { recordCalls } from './record-calls.ts';
import { waitFor } from './wait-for.ts';

export interface RunningPawl {
  readonly dataDir: string;
  /** Of the supervisor. */
  readonly pid: number;
  /** What the supervisor has shown so far. */
  readonly output: () => string;
  /** As `runtime.json` says now. */
  readonly runtime: () => Runtime;
  /** Ends one process with SIGKILL and resolves when the supervisor has one in its place that is ready. */
  kill(name: RuntimeProcess): Promise<void>;
  /** Ctrl-C; resolves to the exit code when all is down. The data stays where the caller gave the directory. */
  stop(): Promise<number>;
  /** Ends the supervisor with SIGKILL; resolves when it is gone (its children leave by themselves). */
  killSupervisor(): Promise<void>;
}

export interface StartPawlOptions {
  /** Default: a temporary one, removed by `stop`. */
  readonly dataDir?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const START = fileURLToPath(new URL('../../local/start.ts', import.meta.url));
const READY_TIMEOUT_MS = 60_000;
const RESTART_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 15_000;

/** Starts all of Pawl as `npm start` does, with no sample job and any free port, and waits until it is up. */
export async function startPawl(options: StartPawlOptions = {}): Promise<RunningPawl> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'pawl-run-'));
  const { NODE_TEST_CONTEXT: _, ...ours } = process.env;
  const child = spawn(process.execPath, [START], {
    env: {
      ...ours,
      ...recordCalls(),
      PORT: '0',
      START_SAMPLE: '0',
      ...options.env,
      DATA_DIR: dataDir,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  const ended = new Promise<number>((resolve) => child.once('exit', (code) => resolve(code ?? -1)));
  const pid = child.pid ?? 0;
  const guarded = guard(pid, 'TERM');
  const runtimeFile = join(dataDir, 'runtime.json');
  const runtime = (): Runtime => JSON.parse(readFileSync(runtimeFile, 'utf8')) as Runtime;
  const isReady = () => output.includes('Pawl is up') && existsSync(runtimeFile);
  const started = () => isReady() || child.exitCode !== null;
  await waitFor(started, READY_TIMEOUT_MS).catch(() => child.kill('SIGTERM'));
  if (!isReady()) throw new Error(`Pawl did not start:\n${output}`);

  const leave = async (signal: NodeJS.Signals, timeoutMs: number): Promise<number> => {
    child.kill(signal);
    if (!(await endsWithin(pid, timeoutMs)))
      throw new Error(`still up after ${timeoutMs} ms:\n${output}`);
    guarded.release();
    return await ended;
  };
  return {
    dataDir,
    pid,
    output: () => output,
    runtime,
    kill: async (name) => {
      const killed = runtime().pids[name];
      process.kill(killed, 'SIGKILL');
      await waitFor(() => runtime().pids[name] !== killed, RESTART_TIMEOUT_MS, `${name} again`);
    },
    stop: async () => {
      const code = await leave('SIGINT', STOP_TIMEOUT_MS);
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
      return code;
    },
    killSupervisor: async () => {
      await leave('SIGKILL', 1_000);
    },
  };
}
