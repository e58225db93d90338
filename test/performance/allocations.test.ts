import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInsertTogether } from '../../jobs/insert-together.ts';
import type { TenantId } from '../../jobs/ids.ts';
import { submitJob } from '../../jobs/submit.ts';
import { createEngine } from '../../local/stepfunctions/engine.ts';
import { allocatedBytes } from '../support/allocated-bytes.ts';
import { agedBytes } from '../support/aged-bytes.ts';
import { connectTest } from '../support/connect-test.ts';

// Bytes, not milliseconds: a hot path that begins to copy or to parse twice shows here on every machine.

test('a submit allocates at most 60 kB between the parsed request and the committed job, and 4.5 kB that get old', async () => {
  const sql = await connectTest();
  const insertJob = createInsertTogether(sql);
  const submit = (n: number) =>
    submitJob(
      sql,
      { type: 'echo', input: { n } },
      {
        tenantId: 'acme' as TenantId,
        actor: 'test',
        idempotencyKey: `key-${n}`,
        correlationId: 'test',
        traceparent: null,
        failureBlocksKey: false,
        maxOpenJobs: null,
      },
      new Date(),
      insertJob,
    );
  const each = async (from: number, to: number): Promise<void> => {
    for (let n = from; n < to; n += 1) await submit(n);
  };
  await each(0, 50); // connections, compiled code
  const bytes = await allocatedBytes(() => each(50, 200));
  assert.ok(bytes / 150 <= 60_000, `${bytes / 150} bytes a submit`);
  const old = (await agedBytes(() => each(200, 500))) / 300;
  assert.ok(old <= 4_500, `${old} bytes a submit reach the old generation`);
});

test('an execution of five Tasks allocates at most 180 kB in the engine, and 6 kB that get old', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'pawl-allocations-'));
  const engine = createEngine({
    dataDir,
    taskRunner: {
      call: async () => ({ kind: 'succeeded', output: { ok: true } }),
      follow: async () => ({ kind: 'succeeded', output: null }),
    },
  });
  after(() => {
    engine.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const created = await engine.call('CreateStateMachine', {
    name: 'five',
    roleArn: 'arn:aws:iam::000000000000:role/test',
    definition: JSON.stringify({ StartAt: 'S1', States: fiveTasks() }),
  });
  assert.ok('stateMachineArn' in created);
  const { stateMachineArn } = created;
  const each = async (from: number, to: number): Promise<void> => {
    for (let n = from; n < to; n += 1) {
      const input = JSON.stringify({ jobId: n });
      const started = await engine.call('StartExecution', { stateMachineArn, input });
      assert.ok('executionArn' in started);
      await engine.ended(String(started.executionArn));
    }
  };
  await each(0, 50);
  const bytes = await allocatedBytes(() => each(50, 200));
  assert.ok(bytes / 150 <= 180_000, `${bytes / 150} bytes an execution`);
  const old = (await agedBytes(() => each(200, 500))) / 300;
  assert.ok(old <= 6_000, `${old} bytes an execution reach the old generation`);
});

function fiveTasks(): Record<string, object> {
  return Object.fromEntries(
    [1, 2, 3, 4, 5].map((n) => [
      `S${n}`,
      {
        Type: 'Task',
        Resource: 'arn:aws:states:::lambda:invoke',
        Parameters: { FunctionName: 'f', Payload: { 'jobId.$': '$$.Execution.Input.jobId' } },
        ResultPath: null,
        ...(n === 5 ? { End: true } : { Next: `S${n + 1}` }),
      },
    ]),
  );
}
