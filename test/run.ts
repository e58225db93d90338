// `npm test`: every test, or those of the patterns given. Flags go to `node --test` as they are:
//   npm test -- 'test/api/**/*.test.ts' --test-name-pattern='a 202'
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { startTestServer } from './support/postgres-server.ts';

const ALL = 'test/**/*.test.ts';
const FILE_TIMEOUT_MS = 600_000;

const given = process.argv.slice(2);
const patterns = given.some((argument) => !argument.startsWith('-')) ? [] : [ALL];
const server = await startTestServer();

const runner = spawn(
  process.execPath,
  [
    '--test',
    '--test-reporter=spec',
    // Most of a test's time is waiting for other processes, which share the same cores.
    `--test-concurrency=${Math.min(4, Math.max(2, availableParallelism()))}`,
    `--test-timeout=${FILE_TIMEOUT_MS}`,
    ...given,
    ...patterns,
  ],
  { stdio: 'inherit', env: { ...process.env, TEST_POSTGRES_URL: server.url } },
);
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => runner.kill(name));
}
const exitCode = await new Promise<number>((resolve) => {
  runner.once('exit', (code) => resolve(code ?? 1));
  runner.once('error', (error) => {
    console.error(error);
    resolve(1);
  });
});
await server.stop();
process.exitCode = exitCode;
