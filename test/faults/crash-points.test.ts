import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { crashPoints } from '../../jobs/crash-point.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folders = ['api', 'jobs', 'worker', 'tasks'];

const sources = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name)),
);

test('each crash point is called exactly once, in the file that the list gives', () => {
  const calls = sources
    .filter((file) => file !== 'jobs/crash-point.ts')
    .flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/\bcrashPoint\(([^)]*)\)/g)].map(
        ([, argument = '']) => `${argument.replaceAll("'", '')} in ${file}`,
      ),
    );
  const listed = Object.entries(crashPoints).map(([name, { file }]) => `${name} in ${file}`);
  assert.deepEqual(calls.sort(), listed.sort());
});
