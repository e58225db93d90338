import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { endsWithin, isAlive } from '../../local/processes/liveness.ts';
import { listen } from '../../local/processes/listen.ts';
import { runSample, samplesOf } from '../../local/sample-jobs.ts';
import type { Runtime, RuntimeProcess } from '../../local/supervisor/runtime-file.ts';
import { startPawl } from '../support/start-pawl.ts';
import { waitFor } from '../support/wait-for.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'pawl-start-'));
let pawl = await startPawl({ dataDir });
after(async () => {
  await pawl.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

let samples = 0;
async function runOneJob(runtime: Runtime): Promise<string> {
  samples += 1;
  const [sample] = samplesOf(`test-${samples}`);
  const job = await runSample(runtime, sample);
  assert.equal(job.status, 'SUCCEEDED', JSON.stringify(job.failure));
  return job.jobId;
}

async function statusOf({ api, keys }: Runtime, jobId: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${keys.client}` };
  const response = await fetch(`${api}/jobs/${jobId}`, { headers });
  const job: unknown = await response.json();
  return typeof job === 'object' && job !== null && 'status' in job ? job.status : response.status;
}

test('runtime.json says where things are; every process is one of its own', () => {
  const runtime = pawl.runtime();
  assert.equal(runtime.console, `${runtime.api}/console/`);
  assert.equal(runtime.bucket, 'pawl-payloads');
  assert.match(runtime.databaseUrl, /^postgres:\/\/.*@127\.0\.0\.1:\d+\/pawl$/);
  const pids = Object.values(runtime.pids);
  assert.equal(new Set(pids).size, 6);
  assert.ok(pids.every((pid) => pid !== pawl.pid && isAlive(pid)));
});

test('the curl lines that are printed work as they are', async () => {
  const lines = pawl
    .output()
    .split('\n')
    .filter((line) => /^(URL=|JOB=|curl )/.test(line));
  assert.equal(lines.length, 3);
  const printed = execFileSync('/bin/sh', ['-c', lines.join('\n')], { encoding: 'utf8' });
  const jobId = printed.split('\n')[0] ?? '';
  await waitFor(async () => (await statusOf(pawl.runtime(), jobId)) === 'SUCCEEDED', 20_000);
});

const processes: readonly RuntimeProcess[] = [
  'postgres',
  'cloud',
  'engine',
  'lambda',
  'api',
  'worker',
];
for (const name of processes) {
  test(`${name} killed with -9 is there again at the same address, and jobs go on`, async () => {
    const before = pawl.runtime();
    await pawl.kill(name);
    const now = pawl.runtime();
    assert.deepEqual({ ...now, pids: before.pids }, before);
    await runOneJob(now);
  });
}

test('a second start on the same data directory is refused, naming the process that has it', async () => {
  await assert.rejects(startPawl({ dataDir }), (error: Error) => {
    assert.match(error.message, new RegExp(`running already in .* as process ${pawl.pid}\\.`));
    return true;
  });
  assert.ok(existsSync(join(dataDir, 'runtime.json')));
});

test('a port that is taken is named', async () => {
  const other = createServer();
  const port = await listen(other, 0);
  await assert.rejects(startPawl({ env: { PORT: String(port) } }), {
    message: new RegExp(`Port ${port} is taken`),
  });
  other.close();
});

test('when the supervisor is killed with -9 its processes leave, and the next start goes on', async () => {
  const before = pawl.runtime();
  const jobId = await runOneJob(before);
  await pawl.killSupervisor();
  for (const [name, pid] of Object.entries(before.pids)) {
    assert.ok(await endsWithin(pid, 12_000), `${name} stayed`);
  }
  pawl = await startPawl({ dataDir });
  assert.deepEqual(pawl.runtime().keys, before.keys);
  assert.equal(await statusOf(pawl.runtime(), jobId), 'SUCCEEDED');
  await runOneJob(pawl.runtime());
});

test('a start right after the supervisor was killed with -9 does not wait for its processes', async () => {
  await pawl.killSupervisor();
  pawl = await startPawl({ dataDir });
  await runOneJob(pawl.runtime());
});

test('Ctrl-C stops everything within 15 s and leaves runtime.json to nobody', async () => {
  const { pids } = pawl.runtime();
  assert.equal(await pawl.stop(), 0);
  assert.deepEqual(
    Object.values(pids).filter((pid) => isAlive(pid)),
    [],
  );
  assert.ok(!existsSync(join(dataDir, 'runtime.json')));
  pawl = await startPawl({ dataDir });
});
