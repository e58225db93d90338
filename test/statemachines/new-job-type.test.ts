import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
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
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** What is not of the source, or is found by the link. */
const left = new Set(['node_modules', '.git', '.data', 'cdk.out']);

/** A copy of the source tree, so that nothing is written here. */
const copy = mkdtempSync(join(tmpdir(), 'pawl-new-type-'));
after(() => rmSync(copy, { recursive: true, force: true }));
for (const entry of readdirSync(root)) {
  if (!left.has(entry)) cpSync(join(root, entry), join(copy, entry), { recursive: true });
}
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));

const { NODE_TEST_CONTEXT: _, ...env } = process.env;
function run(...args: string[]): { readonly status: number | null; readonly output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: copy,
    env,
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

test('a new job type runs at once: its test, the linters and the types find nothing', () => {
  const made = run('scripts/new-job-type.ts', 'word-count');
  assert.equal(made.status, 0, made.output);
  assert.match(made.output, /wrote tasks\/run-word-count\.ts/);
  const tested = run('--test', 'test/word-count/word-count.test.ts');
  assert.equal(tested.status, 0, tested.output);
  assert.equal(run('scripts/lint-definitions.ts').output, '');
  const written = ['statemachines/word-count', 'tasks/run-word-count.ts', 'test/word-count'];
  for (const [tool, ...args] of [
    ['oxfmt', '--check', ...written],
    ['oxlint', '--deny-warnings', ...written],
  ]) {
    const checked = spawnSync(`node_modules/.bin/${tool}`, args, { cwd: copy, encoding: 'utf8' });
    assert.equal(checked.status, 0, `${tool}: ${checked.stdout}${checked.stderr}`);
  }
});

test('nothing is written over what is there, and a name that is none says so', () => {
  const again = run('scripts/new-job-type.ts', 'batch-import');
  assert.equal(again.status, 1);
  assert.match(
    again.output,
    /nothing was written: there is statemachines\/batch-import\/job-type\.ts/,
  );
  for (const [name, why] of [
    ['', /needs a name/],
    ['Word_Count', /is no name/],
    ['../elsewhere', /is no name/],
    ['x'.repeat(41), /longer than 40/],
  ] as const) {
    const refused = run('scripts/new-job-type.ts', name);
    assert.equal(refused.status, 1);
    assert.match(refused.output, why);
  }
});

test('the linter’s step of npm run check fails with a finding', () => {
  const file = join(copy, 'statemachines/word-count/definition.asl.json');
  const definition = JSON.parse(readFileSync(file, 'utf8'));
  delete definition.States.RunWordCount.TimeoutSeconds;
  writeFileSync(file, JSON.stringify(definition));
  const { status, output } = run('scripts/lint-definitions.ts');
  assert.equal(status, 1);
  assert.match(output, /RunWordCount: it has no TimeoutSeconds \(timeouts\)\n  why: .*\n  mend: /);
});
