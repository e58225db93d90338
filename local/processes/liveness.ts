import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Whether the process runs. A zombie (ended, but not yet reaped by its parent) does not: `kill(pid, 0)` would say it does.
 *
 * The main thread of a process that is ending can be a zombie while another thread still holds its files and ports.
 */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return isErrno(error, 'EPERM');
  }
  if (process.platform !== 'linux') return true;
  const stat = readOrUndefined(`/proc/${pid}/stat`);
  if (stat === undefined) return false;
  // The state follows the command's name, which stands in parentheses and may itself contain one.
  const state = stat.charAt(stat.lastIndexOf(')') + 2);
  return state !== 'Z' || threadsOf(pid) > 1;
}

function threadsOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`).length;
  } catch {
    return 0; // it ended meanwhile
  }
}

/** The command line of a process, arguments separated by spaces; undefined when there is no such process. */
export function commandLineOf(pid: number): string | undefined {
  if (process.platform === 'linux') {
    return readOrUndefined(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ').trim();
  }
  try {
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return undefined; // ps exits with 1 when there is no such process
  }
}

/** Resolves to whether the process ended within the time. */
export async function endsWithin(pid: number, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (isAlive(pid)) {
    if (performance.now() > deadline) return false;
    await delay(20);
  }
  return true;
}

/** Sends a signal; a process that is already gone is not an error. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!isErrno(error, 'ESRCH')) throw error;
  }
}

function readOrUndefined(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // the process ended meanwhile
  }
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
