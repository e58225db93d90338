import { spawn } from 'node:child_process';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startTestServer, type TestServer } from '../support/postgres-server.ts';
import { type Mutation, mutations } from './mutations.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** State, and what is linked to. */
const notCopied = new Set(['.data', '.git', 'node_modules']);
const runTimeoutMs = 240_000;

type Row = {
  readonly guard: string;
  readonly caughtBy: string | undefined;
  readonly seconds: number;
};

/**
 * Switches off each guard in turn, in a copy of the source tree, and runs the tests that must miss it. Gives whether
 * all were missed; `only` is a part of a guard's name. Tests that are red without any change count for nothing: they
 * are run first, and must be green.
 */
export async function checkMutations(only = ''): Promise<boolean> {
  const chosen = mutations.filter(({ guard }) => guard.includes(only));
  const copy = copyTree();
  const server = await startTestServer();
  // The server does not keep this process alive, and its end has to be waited for.
  const alive = setInterval(() => undefined, 60_000);
  try {
    const files = [...new Set(chosen.flatMap(({ tests }) => tests))];
    const red = await firstRed(copy, server, files, true);
    if (red !== undefined) {
      console.log(`red without any change: ${red}`);
      return false;
    }
    const rows: Row[] = [];
    for (const mutation of chosen) {
      const row = await tryMutation(copy, server, mutation);
      console.log(describe(row));
      rows.push(row);
    }
    const caught = rows.filter(({ caughtBy }) => caughtBy !== undefined).length;
    console.log(`${caught} of ${rows.length} guards are missed when they are gone`);
    return caught === rows.length;
  } finally {
    await server.stop();
    clearInterval(alive);
    rmSync(copy, { recursive: true, force: true });
  }
}

async function tryMutation(copy: string, server: TestServer, mutation: Mutation): Promise<Row> {
  const startedAt = performance.now();
  const file = join(copy, mutation.file);
  const original = readFileSync(file, 'utf8');
  const places = original.split(mutation.from).length - 1;
  if (places !== 1)
    throw new Error(`"${mutation.guard}": its text stands ${places} times in ${mutation.file}`);
  writeFileSync(
    file,
    original.replace(mutation.from, () => mutation.to),
  );
  try {
    const caughtBy = await firstRed(copy, server, mutation.tests, false);
    return {
      guard: mutation.guard,
      caughtBy,
      seconds: Math.round((performance.now() - startedAt) / 1_000),
    };
  } finally {
    writeFileSync(file, original);
  }
}

const describe = ({ guard, caughtBy, seconds }: Row): string =>
  `| ${guard} | ${caughtBy ?? '**nobody**'} | ${seconds} s |`;

/** The first file with a red test, as `file: title`; `all` in one run, else one after the other. */
async function firstRed(
  copy: string,
  server: TestServer,
  files: readonly string[],
  all: boolean,
): Promise<string | undefined> {
  for (const group of all ? [files] : files.map((file) => [file])) {
    const red = await redTest(copy, server, group);
    if (red !== undefined) return red;
  }
  return undefined;
}

async function redTest(
  copy: string,
  server: TestServer,
  files: readonly string[],
): Promise<string | undefined> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(
    process.execPath,
    [
      '--test',
      '--test-reporter=tap',
      '--test-concurrency=2',
      `--test-timeout=${runTimeoutMs}`,
      ...files,
    ],
    {
      cwd: copy,
      env: { ...env, TEST_POSTGRES_URL: server.url },
      stdio: ['ignore', 'pipe', 'inherit'],
      // A group of its own, so that what a test file has started ends with it when it is cut off.
      detached: true,
    },
  );
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8');
    // One red test is enough; what the others of the file wait for may never come.
    if (redTitle(output) !== undefined) endGroup(child.pid);
  });
  const timer = setTimeout(() => endGroup(child.pid), files.length * runTimeoutMs);
  const code = await new Promise<number>((resolve) => {
    child.once('exit', (status) => resolve(status ?? 1));
  });
  clearTimeout(timer);
  if (code === 0) return undefined;
  const where = files.length === 1 ? files[0] : 'all';
  return `${where}: ${redTitle(output) ?? `no test ended (exit code ${code})`}`;
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGTERM');
  } catch {
    // it has ended already
  }
}

const redTitle = (output: string): string | undefined =>
  /^\s*not ok \d+ - (.*)$/m.exec(output)?.[1];

/** The source tree; the installed packages are linked to. */
function copyTree(): string {
  const copy = mkdtempSync(join(tmpdir(), 'pawl-mutate-'));
  for (const name of readdirSync(root)) {
    if (notCopied.has(name)) continue;
    cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}
