import { spawn } from 'node:child_process';

export interface Guard {
  /** The process has ended, or no longer needs the guard. */
  release(): void;
}

/**
 * Ends `pid` when this process ends without having released it, even by kill -9.
 *
 * A shell waits on a pipe whose other end only this process holds: its end is the sign. `thenRun` is a shell command
 * that it runs last, with `$1`, `$2`, … from `args`. The shell has a process group of its own, out of the terminal's reach.
 */
export function guard(
  pid: number,
  first: 'INT' | 'TERM',
  thenRun = ':',
  args: readonly string[] = [],
): Guard {
  const script = `
    if read -r _; then exit 0; fi
    kill -${first} "$0" 2>/dev/null
    waited=0
    while kill -0 "$0" 2>/dev/null && [ "$waited" -lt 10 ]; do sleep 1; waited=$((waited + 1)); done
    kill -KILL "$0" 2>/dev/null
    ${thenRun}`;
  const shell = spawn('/bin/sh', ['-c', script, String(pid), ...args], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
  });
  const pipe = shell.stdin;
  pipe.on('error', () => undefined); // the shell was killed: nothing left to release
  shell.on('error', () => undefined); // no shell, no guard: the next start cleans up instead
  shell.unref();
  if ('unref' in pipe && typeof pipe.unref === 'function') pipe.unref();
  return { release: () => pipe.end('released\n') };
}
