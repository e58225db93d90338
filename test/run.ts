// `npm test`: every test, or those of the patterns given. Flags go to `node --test` as they are:
//   npm test -- 'test/api/**/*.test.ts' --test-name-pattern='a 202'
//
// A file that failed is run once more, alone: many tests start processes and have deadlines, and files beside each other
// share the cores. What passes only alone is named at the end, so that it is mended and not got used to.
//
// After all of them, LAST holds what roles may do on AWS against every AWS call that Pawl's processes made meanwhile.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startTestServer } from './support/postgres-server.ts';

const ALL = 'test/**/*.test.ts';
const LAST = 'test/infra/recorded-calls.last.ts';
const FILE_TIMEOUT_MS = 600_000;
const REPORTER = fileURLToPath(new URL('support/failed-files-reporter.ts', import.meta.url));

const given = process.argv.slice(2);
const flags = given.filter((argument) => argument.startsWith('-'));
const patterns = given.filter((argument) => !argument.startsWith('-'));
// Most of a test's time is waiting for other processes, which share the same cores.
const concurrency = Math.min(4, Math.max(2, availableParallelism()));

// As bootstrap.mjs has it, for who starts this file by himself: half of a process's start is compiling, and tests start
// hundreds of them.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(
  new URL('../node_modules/.cache/node-compile', import.meta.url),
);

let stopped = false;
const server = await startTestServer();
const dir = mkdtempSync(join(tmpdir(), 'pawl-test-run-'));
const callsDir = join(dir, 'calls');
mkdirSync(callsDir);
const first = await runFiles(patterns.length === 0 ? [ALL] : patterns, concurrency, 'first');
const again =
  first.exitCode === 0 || first.failedFiles.length === 0 || stopped
    ? first
    : await runFiles(first.failedFiles, 1, 'again');
if (again !== first && again.exitCode === 0) {
  console.log(`passed only when run alone: ${first.failedFiles.join(', ')}`);
}
// Calls are complete only where every test has run and passed.
const last =
  given.length > 0 || again.exitCode !== 0 || stopped ? again : await runFiles([LAST], 1, 'last');
rmSync(dir, { recursive: true, force: true });
await server.stop();
process.exitCode = last.exitCode;

interface Outcome {
  readonly exitCode: number;
  readonly failedFiles: readonly string[];
}

async function runFiles(
  files: readonly string[],
  concurrentFiles: number,
  name: string,
): Promise<Outcome> {
  const failedFile = join(dir, name);
  const runner = spawn(
    process.execPath,
    [
      '--test',
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      `--test-reporter=${REPORTER}`,
      `--test-reporter-destination=${failedFile}`,
      `--test-concurrency=${concurrentFiles}`,
      `--test-timeout=${FILE_TIMEOUT_MS}`,
      ...flags,
      ...files,
    ],
    {
      stdio: 'inherit',
      env: { ...process.env, TEST_POSTGRES_URL: server.url, CALLS_DIR: callsDir },
    },
  );
  const forward = (signal: NodeJS.Signals): void => {
    stopped = true;
    runner.kill(signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, forward);
  const exitCode = await new Promise<number>((resolve) => {
    runner.once('exit', (code) => resolve(code ?? 1));
    runner.once('error', (error) => {
      console.error(error);
      resolve(1);
    });
  });
  for (const signal of signals) process.off(signal, forward);
  const failedFiles = readFileSync(failedFile, 'utf8').split('\n').filter(Boolean);
  return { exitCode, failedFiles };
}
