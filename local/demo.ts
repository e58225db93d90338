// `npm run demo`: as `npm start`, in a directory of its own; one sample job of each type, then nothing stays behind.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopOnSignal } from './processes/stop-on-signal.ts';
import { watchParent } from './processes/watch-parent.ts';
import { openPawl, type Pawl } from './run-pawl.ts';
import { describeWay, runSample, samplesOf } from './sample-jobs.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'pawl-demo-'));
const say = (line: string): void => console.log(line);
process.stdout.on('error', () => undefined);

let pawl: Pawl | undefined;
let stopped: Promise<void> | undefined;
const cleanUp = (): Promise<void> =>
  (stopped ??= (async () => {
    await pawl?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  })());
watchParent(stopOnSignal(cleanUp));

try {
  say('Starting PostgreSQL, SQS, S3, Step Functions, Lambda, the API and the worker …');
  pawl = await openPawl({ dataDir, port: 0, env: process.env, say });
  const runtime = await pawl.start();
  say(`Ready in ${(performance.now() / 1000).toFixed(1)} s.`);
  for (const sample of samplesOf('demo')) {
    const job = await runSample(runtime, sample);
    say(`\n${sample.type}, job ${job.jobId}`);
    say(`  ${describeWay(job)}`);
    say(`  ${JSON.stringify(job.result ?? job.failure, null, 2).replaceAll('\n', '\n  ')}`);
    if (job.status !== 'SUCCEEDED') process.exitCode = 1;
  }
} catch (error) {
  if (!stopped) console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
await cleanUp();
