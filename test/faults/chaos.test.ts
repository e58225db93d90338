import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeReport, runChaos } from './chaos.ts';
import { killsMany, startLab } from './lab.ts';

/** `npm run faults` has the long form. A seed that fails is run again with FAULTS_SEED. */
const seed = Number(process.env['FAULTS_SEED'] ?? Date.now() % 100_000);

test('300 jobs under random faults: nothing is lost and nothing happens twice', async (t) => {
  const lab = await startLab(killsMany);
  t.after(() => lab.stop());
  const options = { seed, jobs: 300, seconds: 20, restSeconds: 90 };
  const report = await runChaos(lab, options);
  for (const line of describeReport(options, report)) t.diagnostic(line);
  assert.deepEqual(report.violations, [], `FAULTS_SEED=${seed}`);
});
