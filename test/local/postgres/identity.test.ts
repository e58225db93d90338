import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const dir = mkdtempSync(join(tmpdir(), 'pawl-identity-'));
after(() => rmSync(dir, { recursive: true, force: true }));
const script = fileURLToPath(new URL('start-once.ts', import.meta.url));

/** Starts PostgreSQL where only these programs of the system are there, below a 0700 directory. */
function startWith(programs: readonly string[], name: string): string {
  const path = join(dir, `path-${programs.join('-')}`);
  mkdirSync(path, { recursive: true });
  for (const program of programs) {
    const found = spawnSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' });
    rmSync(join(path, program), { force: true });
    symlinkSync(found.stdout.trim(), join(path, program));
  }
  const dataDir = join(dir, name);
  mkdirSync(dataDir, { recursive: true });
  const { stdout, stderr } = spawnSync(process.execPath, [script, dataDir], {
    env: { PATH: path },
    encoding: 'utf8',
  });
  return `${stdout}${stderr}`.trim();
}

// As another user than root there is nothing to choose.
const isRoot = process.getuid?.() === 0;
const expected = (asRoot: RegExp): RegExp => (isRoot ? asRoot : /^this user$/);

test('as root it runs in a user namespace, and files stay as they are', () => {
  assert.match(startWith(['unshare', 'setpriv'], 'namespace'), expected(/in a user namespace$/));
});

test('as root without user namespaces it runs as another user that may pass 0700 directories', () => {
  assert.match(startWith(['setpriv'], 'override'), expected(/^uid \d+ with CAP_DAC_OVERRIDE$/));
});

test('data made under one owner is used under that owner, whatever else is possible', () => {
  assert.match(startWith(['unshare', 'setpriv'], 'override'), expected(/CAP_DAC_OVERRIDE$/));
});

test('as root with none of these below a 0700 directory it says what would help', () => {
  assert.match(startWith([], 'nothing'), expected(/must not run as root.*set DATA_DIR/s));
});
