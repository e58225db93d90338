import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createStatusPublisher } from '../../local/stepfunctions/events/status-publisher.ts';
import { openStore } from '../../local/stepfunctions/store/store.ts';

test('a change of status waits for company, but not long where somebody acts on it', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const folder = mkdtempSync(join(tmpdir(), 'status-publisher-'));
  const store = openStore(folder, noFault);
  const calls: number[] = [];
  const publisher = createStatusPublisher(
    store,
    (entries) => {
      calls.push(entries.length);
      return new Promise(() => undefined);
    },
    noFault,
  );
  t.after(() => {
    publisher.stop();
    store.close();
    rmSync(folder, { recursive: true });
  });

  store.commits.atomically(() => store.outbox.add('{"status":"SUCCEEDED"}'));
  publisher.nudge();
  t.mock.timers.tick(200);
  assert.deepEqual(calls, [], 'one that succeeded still waits');
  store.commits.atomically(() => store.outbox.add('{"status":"FAILED"}'));
  publisher.nudge(true);
  publisher.nudge();
  t.mock.timers.tick(25);
  assert.deepEqual(calls, [2], 'one that failed is sent, and takes along who waits');
});

function noFault(error: unknown): void {
  throw error;
}
