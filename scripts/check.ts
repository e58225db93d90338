// `npm run check`: formatter, linter, types, state machines. Prints what fails and exits non-zero; changes nothing.
import { spawnSync } from 'node:child_process';

const steps: readonly [name: string, command: string, args: readonly string[]][] = [
  ['format', 'oxfmt', ['--check', '.']],
  ['lint', 'oxlint', ['--type-aware', '--deny-warnings']],
  ['types', 'tsc', ['--noEmit', '-p', '.']],
  ['types of the console', 'tsc', ['-p', 'console/tsconfig.json']],
  ['definitions', 'node', ['scripts/lint-definitions.ts']],
];

let failed = false;
for (const [name, command, args] of steps) {
  const { status } = spawnSync(`node_modules/.bin/${command}`, args, { stdio: 'inherit' });
  console.log(`${name}: ${status === 0 ? 'ok' : 'FAILED'}`);
  failed ||= status !== 0;
}
process.exit(failed ? 1 : 0);
