import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { commandLineOf, endsWithin, isAlive, signal } from '../processes/liveness.ts';

export interface DataDir {
  readonly path: string;
  file(name: string): string;
  /** Notes our processes, so that the next start can end those which outlived us. */
  noteProcess(name: string, pid: number): void;
  /** Nobody else may use the directory before this. */
  release(): void;
}

interface NotedProcess {
  readonly pid: number;
  readonly commandLine: string | undefined;
}

/** A lock that nothing refers to would be given up by the garbage collector. */
const heldLocks = new Set<DatabaseSync>();

const LOCK_WAIT_MS = 1_000;
const LEFTOVER_GRACE_MS = 5_000;

/**
 * Makes the directory (0700) and locks it for this process; throws, naming its pid, when another one has it.
 *
 * The lock is SQLite's on a file: the system takes it back when its holder ends, however it ends. Processes that an
 * earlier holder left behind (it was killed with -9 a moment ago) are ended before this resolves.
 */
export async function openDataDir(dir: string): Promise<DataDir> {
  const path = resolve(dir);
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    mkdirSync(join(path, 'logs'), { recursive: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`DATA_DIR ${path} is no directory that can be written to (${reason}).`, {
      cause: error,
    });
  }
  const processesFile = join(path, 'processes.json');
  // A holder that was just killed may take a moment to go.
  const lock = new DatabaseSync(join(path, 'lock'), { timeout: LOCK_WAIT_MS });
  try {
    lock.exec('begin exclusive');
  } catch (error) {
    lock.close();
    const { supervisor } = readProcesses(processesFile);
    throw new Error(
      `Pawl is running already in ${path}, as process ${supervisor?.pid ?? 'unknown'}. ` +
        'Stop it first, or set DATA_DIR to another directory.',
      { cause: error },
    );
  }
  heldLocks.add(lock);
  await endLeftovers(Object.values(readProcesses(processesFile)));
  rmSync(join(path, 'runtime.json'), { force: true });

  const processes: Record<string, NotedProcess> = {};
  const noteProcess = (name: string, pid: number): void => {
    processes[name] = { pid, commandLine: commandLineOf(pid) };
    writeByRename(processesFile, JSON.stringify(processes, null, 2));
  };
  noteProcess('supervisor', process.pid);
  return {
    path,
    file: (name) => join(path, name),
    noteProcess,
    release: () => {
      rmSync(processesFile, { force: true });
      lock.close();
      heldLocks.delete(lock);
    },
  };
}

/** Nobody ever sees half a file. Readable by its owner only. */
export function writeByRename(file: string, text: string): void {
  const unfinished = `${file}.${process.pid}.unfinished`;
  writeFileSync(unfinished, text, { mode: 0o600 });
  renameSync(unfinished, file);
}

async function endLeftovers(noted: readonly NotedProcess[]): Promise<void> {
  // A pid may be somebody else's by now: only one that still has the same command line is ended.
  const ours = noted.filter(
    ({ pid, commandLine }) =>
      commandLine !== undefined && isAlive(pid) && commandLineOf(pid) === commandLine,
  );
  for (const { pid } of ours) signal(pid, 'SIGTERM');
  await Promise.all(
    ours.map(async ({ pid }) => {
      if (!(await endsWithin(pid, LEFTOVER_GRACE_MS))) signal(pid, 'SIGKILL');
    }),
  );
}

function readProcesses(file: string): Readonly<Record<string, NotedProcess>> {
  try {
    // Written by `noteProcess` above and by nobody else.
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, NotedProcess>;
  } catch {
    return {}; // the last run ended in good order, or there was none
  }
}
