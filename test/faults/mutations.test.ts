import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { mutations } from './mutations.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

test('each guard of the mutation check stands once in its file, and its tests are there', () => {
  const wrong = mutations.flatMap(({ guard, file, from, tests }) => {
    const places = readFileSync(join(root, file), 'utf8').split(from).length - 1;
    return [
      ...(places === 1 ? [] : [`${guard}: its text stands ${places} times in ${file}`]),
      ...tests
        .filter((name) => !existsSync(join(root, name)))
        .map((name) => `${guard}: no ${name}`),
    ];
  });
  assert.deepEqual(wrong, []);
});
