import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { failuresPage, failuresPageFile } from '../../scripts/failures-page.ts';

test('docs/failures.md says what the code does (node scripts/failures-page.ts writes it)', () => {
  assert.equal(readFileSync(failuresPageFile, 'utf8'), failuresPage());
});
