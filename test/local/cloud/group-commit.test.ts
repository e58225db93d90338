import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const module = new URL('../../../local/cloud/group-commit.ts', import.meta.url).href;

/** The next write makes way for itself by committing what need not last, and that commit fails. */
const failing = `
  import { DatabaseSync } from 'node:sqlite';
  import { createGroupCommit } from ${JSON.stringify(module)};
  const db = new DatabaseSync(':memory:');
  db.exec(\`
    create table queues (name text primary key);
    create table messages (queue text references queues deferrable initially deferred)\`);
  const commits = createGroupCommit(db);
  commits.begin({ lasting: false });
  db.exec("insert into messages values ('missing')");
  try {
    commits.begin();
  } catch {
    // As a request's handler does, which answers 500.
  }
  setTimeout(() => process.exit(0), 1_000);`;

test('a commit that fails ends the process, also where a write meets it that catches it', () => {
  const args = ['--input-type=module', '--eval', failing];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  assert.match(stderr, /FOREIGN KEY constraint failed/);
  assert.equal(status, 1);
});
