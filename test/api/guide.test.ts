import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { pino } from 'pino';
import type { JobId } from '../../jobs/ids.ts';
import { finishJob } from '../../jobs/store/finish-job.ts';
import documentMetadata from '../../statemachines/document-metadata/job-type.ts';
import { repeat } from '../../worker/repeat.ts';
import { startCloud } from '../support/start-cloud.ts';
import { registryOf } from './app-deps.ts';
import { startApi } from './start-api.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const guide = readFileSync(join(root, 'docs/guides/calling-the-api.md'), 'utf8');
const blocks = [...guide.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block]) => block);
const client = new URL('../../client/pawl-client.ts', import.meta.url).href;

const cloud = await startCloud();
after(() => cloud.stop());
const s3 = new S3Client({
  endpoint: cloud.s3Endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});
await s3.send(new CreateBucketCommand({ Bucket: 'pawl-payloads' }));
const api = await startApi({ s3, registry: registryOf([documentMetadata]) });

/** Stands in for the worker: every job that comes succeeds, once its client has had time to see it PENDING. */
async function finishAll(): Promise<void> {
  const open = await api.sql<
    { id: JobId }[]
  >`select job_id as id from jobs where status = 'PENDING' and created_at < now() - interval '2 seconds'`;
  for (const { id } of open) {
    const fence = { jobId: id, executionName: id, redriveCount: 0 };
    await finishJob(api.sql, fence, { status: 'SUCCEEDED', result: { pages: 1 } }, 'test');
  }
}

test('the examples of the guide run as they stand', async () => {
  assert.ok(blocks.length >= 3);
  const folder = mkdtempSync(join(tmpdir(), 'pawl-guide-'));
  after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'guide.ts');
  writeFileSync(file, blocks.join('\n').replace("'pawl-client'", `'${client}'`));
  const env = { ...process.env, PAWL_URL: api.url, PAWL_KEY: await api.keyFor('acme') };
  const finishing = repeat('finish all', 100, finishAll, pino({ level: 'silent' }));
  const [ran] = await Promise.allSettled([run(file, env)]);
  await finishing.stop();
  const out = ran.status === 'fulfilled' ? ran.value : assert.fail(String(ran.reason));
  assert.match(out, /PENDING/);
  assert.match(out, /pages: 1/);
  assert.match(out, /422/);
});

const run = (file: string, env: NodeJS.ProcessEnv): Promise<string> =>
  new Promise((resolve, reject) => {
    execFile(process.execPath, [file], { env, cwd: root, timeout: 60_000 }, (error, out, err) => {
      if (error === null) resolve(out);
      else reject(new Error(err));
    });
  });
