import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitFor } from '../support/wait-for.ts';
import { startFixture, succeed } from './engine-fixture.ts';

/** MANY_WAITS=100000 is the figure the engine is built for; the short form keeps the suite quick. */
const EXECUTIONS = Number(process.env['MANY_WAITS'] ?? 5000);

test(`${EXECUTIONS} waiting executions take little memory, and all go on`, async (context) => {
  const fixture = await startFixture(() => succeed());
  const stateMachineArn = await fixture.create({
    StartAt: 'Pause',
    States: { Pause: { Type: 'Wait', Seconds: 3600, Next: 'Done' }, Done: { Type: 'Succeed' } },
  });
  const input = 'x'.repeat(1000);
  const before = process.memoryUsage().heapUsed;
  for (let from = 0; from < EXECUTIONS; from += 500) {
    await Promise.all(
      Array.from({ length: Math.min(500, EXECUTIONS - from) }, (_, index) =>
        fixture.start(stateMachineArn, input, `w-${from + index}`),
      ),
    );
  }
  const counts = fixture.engine.counts();
  assert.equal(counts.open, EXECUTIONS);
  assert.equal(counts.waiting, EXECUTIONS);
  assert.ok(counts.inMemory <= 1000, `${counts.inMemory} executions are in memory`);
  const bytesEach = (process.memoryUsage().heapUsed - before) / EXECUTIONS;
  context.diagnostic(`${Math.round(bytesEach)} bytes of heap for each waiting execution`);
  fixture.clock.advance(3_600_000);
  await waitFor(() => fixture.engine.counts().open === 0, 120_000, 'the end of all executions');
  assert.equal(fixture.engine.counts().waiting, 0);
  fixture.stop();
});
