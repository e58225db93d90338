import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface PidFile {
  readonly pid: number;
  readonly port: number;
  readonly ready: boolean;
}

/**
 * Reads `postmaster.pid`; undefined when there is none or it is not yet written in full.
 *
 * Lines: 1 pid, 4 port, 8 status (PostgreSQL's `miscadmin.h`). A file left by kill -9 still says `ready`, with the old
 * port: whoever asks must compare the pid.
 */
export function readPidFile(dataDir: string): PidFile | undefined {
  let lines: string[];
  try {
    lines = readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return undefined; // no server, or it is just removing the file
  }
  const pid = Number(lines[0]);
  const port = Number(lines[3]);
  if (!Number.isInteger(pid) || pid <= 0 || !Number.isInteger(port)) return undefined;
  return { pid, port, ready: lines[7]?.trim() === 'ready' };
}
