import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { isListening } from '../processes/free-port.ts';
import { guard } from '../processes/guard.ts';
import { endsWithin, signal } from '../processes/liveness.ts';
import { endOfLog, readSince, sizeOf } from './log-files.ts';
import type { RunningService, Service } from './service.ts';

export interface NodeServiceOptions {
  readonly name: string;
  /** Relative to the package's root. */
  readonly script: string;
  readonly args?: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly logFile: string;
  readonly ready: Readiness;
  /** Told of the pid as soon as there is one. */
  readonly spawned: (name: string, pid: number) => void;
}

export type Readiness =
  /** Answers 200 there. */
  | { readonly kind: 'http'; readonly url: string }
  /** Takes connections there. */
  | { readonly kind: 'port'; readonly port: number }
  /** Has written that text to its log. */
  | { readonly kind: 'log'; readonly text: string }
  /** Still runs after that time: for a process that does not say when it is ready. */
  | { readonly kind: 'alive'; readonly forMs: number };

const READY_TIMEOUT_MS = 30_000;
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A script of ours as a process of its own, out of reach of the terminal's Ctrl-C, its output in its log file. */
export function nodeService(options: NodeServiceOptions): Service {
  return { name: options.name, start: (aborted) => start(options, aborted) };
}

async function start(options: NodeServiceOptions, aborted: AbortSignal): Promise<RunningService> {
  const logStart = sizeOf(options.logFile);
  const log = openSync(options.logFile, 'a', 0o600);
  const child = spawn(process.execPath, [`${ROOT}${options.script}`, ...(options.args ?? [])], {
    cwd: ROOT,
    env: options.env,
    stdio: ['ignore', log, log],
    detached: true,
  });
  closeSync(log);
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signalName) => resolve(signalName ?? `exit code ${code}`));
    child.once('error', (error) => resolve(error.message));
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(await ended);
  options.spawned(options.name, pid);
  const guarded = guard(pid, 'TERM');
  void ended.then(() => guarded.release());

  const stop = async (graceMs: number): Promise<void> => {
    signal(pid, 'SIGTERM');
    if (!(await endsWithin(pid, graceMs))) signal(pid, 'SIGKILL');
    await ended;
  };
  const over = new AbortController();
  const how = await Promise.race([
    ended,
    untilReady(options, logStart, AbortSignal.any([aborted, over.signal])),
  ]);
  over.abort();
  if (how === READY) return { pid, ended, stop };
  await stop(1_000);
  throw new Error(
    `${options.name} did not get ready: ${how}. The end of ${options.logFile}:\n${endOfLog(options.logFile, logStart)}`,
  );
}

const READY = Symbol('ready');

async function untilReady(
  { ready, logFile }: NodeServiceOptions,
  logStart: number,
  stopped: AbortSignal,
): Promise<typeof READY | string> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  if (ready.kind === 'alive') {
    await delay(ready.forMs, undefined, { signal: stopped }).catch(() => undefined);
    return stopped.aborted ? 'stopped while starting' : READY;
  }
  while (!stopped.aborted && performance.now() < deadline) {
    if (ready.kind === 'log' && readSince(logFile, logStart).text.includes(ready.text))
      return READY;
    if (ready.kind === 'port' && (await isListening(ready.port))) return READY;
    if (ready.kind === 'http' && (await answers(ready.url))) return READY;
    await delay(20);
  }
  return stopped.aborted
    ? 'stopped while starting'
    : `not ready after ${READY_TIMEOUT_MS / 1000} s`;
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false; // not listening yet
  }
}
