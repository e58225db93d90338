import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { endsWithin, isAlive } from '../../../local/processes/liveness.ts';
import { openDataDir } from '../../../local/supervisor/data-dir.ts';

const dir = mkdtempSync(join(tmpdir(), 'pawl-data-dir-'));
after(() => rmSync(dir, { recursive: true, force: true }));
const holder = fileURLToPath(new URL('scripts/hold-data-dir.ts', import.meta.url));

test('a data directory in use is refused, naming the process that uses it', async () => {
  const child = spawn(process.execPath, [holder, dir], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const leftBehind = Number(line.toString('utf8'));
  await assert.rejects(openDataDir(dir), {
    message: new RegExp(`running already in .* as process ${child.pid}\\.`),
  });

  // Killed with -9 it holds nothing any more, and what it left running is ended by the next one.
  child.kill('SIGKILL');
  assert.ok(await endsWithin(child.pid ?? 0, 5_000));
  assert.ok(isAlive(leftBehind));
  const dataDir = await openDataDir(dir);
  assert.ok(!isAlive(leftBehind));
  dataDir.release();
  (await openDataDir(dir)).release();
});
