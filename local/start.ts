// `npm start`: everything on this machine, one sample job through it, and then it stays up.
// DATA_DIR (default .data), PORT (default 3000, 0 = any free one), START_SAMPLE=0 (no sample job).
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildConsole } from './build-console.ts';
import { curlLines } from './curl-lines.ts';
import { parsePort } from './processes/environment.ts';
import { stopOnSignal } from './processes/stop-on-signal.ts';
import { watchParent } from './processes/watch-parent.ts';
import { openPawl, type Pawl } from './run-pawl.ts';
import { describeWay, runSample, samplesOf } from './sample-jobs.ts';
import type { Runtime } from './supervisor/runtime-file.ts';

const { env } = process;
const root = fileURLToPath(new URL('..', import.meta.url));
const say = (line: string): void => console.log(line);
// A terminal that was closed takes no more output; that must not end us before our processes are stopped.
process.stdout.on('error', () => undefined);

/** When the bootstrap began, so that the time shown is what its user waited (without npm's own start). */
const startedAt = Number(env['PAWL_STARTED_AT'] ?? performance.timeOrigin);

let pawl: Pawl | undefined;
let stopping = false;
const stop = stopOnSignal(async () => {
  stopping = true;
  if (!pawl) return;
  say('\nStopping …');
  await pawl.stop();
  say('Stopped.');
});
watchParent(stop);

try {
  pawl = await openPawl({
    dataDir: resolve(root, env['DATA_DIR'] ?? '.data'),
    port: parsePort(env['PORT'] ?? '3000', 'PORT'),
    env,
    say,
  });
  const [runtime] = await Promise.all([pawl.start(), buildConsole(say)]);
  const readySeconds = (Date.now() - startedAt) / 1000;
  if (env['START_SAMPLE'] !== '0') await showSample(runtime);
  await welcome(runtime, readySeconds);
} catch (error) {
  // Stopping cuts off whatever the start was waiting for.
  if (!stopping) {
    console.error(error instanceof Error ? error.message : error);
    await pawl?.stop();
    process.exit(1);
  }
}

async function showSample(runtime: Runtime): Promise<void> {
  const [sample] = samplesOf(new Date().toISOString());
  const job = await runSample(runtime, sample);
  say(`Sample job ${job.jobId} (${sample.type}, samples/${sample.file ?? ''})`);
  say(`  ${describeWay(job)}`);
  say(`  ${JSON.stringify(job.result ?? job.failure)}`);
}

async function welcome(runtime: Runtime, readySeconds: number): Promise<void> {
  const [upload, submit, poll] = await curlLines(runtime);
  say(`
Pawl is up: ready in ${readySeconds.toFixed(1)} s.

  console       ${runtime.console}
  API           ${runtime.api} (documentation at /docs)
  client key    ${runtime.keys.client}
  operator key  ${runtime.keys.operator}
  state, logs   ${resolve(root, env['DATA_DIR'] ?? '.data')}

Upload a file:

${upload}

Submit a job for it:

${submit}

Ask how it is doing:

${poll}

Ctrl-C stops everything.`);
}
