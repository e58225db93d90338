import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { endsWithin, isAlive, signal } from '../../../local/processes/liveness.ts';

const holder = fileURLToPath(new URL('holder.ts', import.meta.url));

async function startHolder(mode: 'guards' | 'releases'): Promise<[holder: number, held: number]> {
  const child = spawn(process.execPath, [holder, mode], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return [child.pid ?? 0, Number(line.toString('utf8'))];
}

test('a guarded process ends when its guardian is killed with -9', async () => {
  const [guardian, guarded] = await startHolder('guards');
  assert.ok(isAlive(guarded));
  process.kill(guardian, 'SIGKILL');
  assert.ok(await endsWithin(guarded, 5_000));
});

test('a released process outlives its former guardian', async () => {
  const [guardian, released] = await startHolder('releases');
  process.kill(guardian, 'SIGKILL');
  assert.ok(await endsWithin(guardian, 5_000));
  assert.ok(!(await endsWithin(released, 500)));
  signal(released, 'SIGKILL');
});
