import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { eventsPage, eventsPageFile } from '../../scripts/events-page.ts';

test('docs/events.md says what the catalogue says (node scripts/events-page.ts writes it)', () => {
  assert.equal(readFileSync(eventsPageFile, 'utf8'), eventsPage());
});
