import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { CreateStateMachineCommand, ListExecutionsCommand, SFNClient } from '@aws-sdk/client-sfn';
import { pino } from 'pino';
import { readWorkerConfig } from '../../jobs/config.ts';
import { connect } from '../../jobs/store/connect.ts';
import type { RegisteredJobType } from '../../statemachines/registry.ts';
import { createWorkerMetrics } from '../../worker/worker-metrics.ts';
import { createWorker } from '../../worker/worker.ts';
import { startCuttableProxy } from '../effects/cuttable-proxy.ts';
import probe from '../faults/job-types/fault-probe/job-type.ts';
import { startEngineProcess } from '../stepfunctions/engine-process.ts';
import { connectTo } from '../support/connect-test.ts';
import { seedJob, seedOutbox } from '../support/seed-job.ts';
import { testDatabase } from '../support/test-database.ts';
import { waitFor } from '../support/wait-for.ts';
import { account, startQueues } from './queues.ts';
import { startGateway } from './sfn-gateway.ts';

const database = await testDatabase();
const proxy = await startCuttableProxy(database.url);
const queues = await startQueues();
const dataDir = mkdtempSync(join(tmpdir(), 'pawl-outage-'));
after(() => rmSync(dataDir, { recursive: true, force: true }));
const engine = await startEngineProcess({ dataDir });
const gateway = await startGateway(engine.endpoint);
const sfn = new SFNClient({ ...account, endpoint: gateway.url });
const sql = connectTo(database.url);
const requests = await queues.create('job-requests');
const events = await queues.create('execution-events');
const prefix = 'arn:aws:states:us-east-1:000000000000:stateMachine:pawl-';
const waiting = JSON.stringify({
  StartAt: 'Wait',
  States: { Wait: { Type: 'Wait', Seconds: 600, End: true } },
});
const roleArn = 'arn:aws:iam::000000000000:role/test';
const name = 'pawl-fault-probe';
await sfn.send(new CreateStateMachineCommand({ name, definition: waiting, roleArn }));

const logged: string[] = [];
const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) });
const has = (text: string): boolean => logged.some((line) => line.includes(text));

const config = readWorkerConfig({
  DATABASE_URL: proxy.url,
  DATABASE_STATEMENT_TIMEOUT_MS: '2000',
  JOB_REQUESTS_QUEUE_URL: requests.url,
  JOB_REQUESTS_DLQ_URL: requests.dlqUrl,
  EXECUTION_EVENTS_QUEUE_URL: events.url,
  EXECUTION_EVENTS_DLQ_URL: events.dlqUrl,
  STATE_MACHINE_ARN_PREFIX: prefix,
  SHUTDOWN_GRACE_MS: '2000',
});

const type: RegisteredJobType = { ...probe, definition: waiting, folder: '', taskFiles: [] };
const workerSql = connect(config.database, 'test worker');
const worker = createWorker({
  config,
  log,
  sfn,
  sql: workerSql,
  sqs: queues.sqs,
  registry: new Map([[probe.type, type]]),
  metrics: createWorkerMetrics({ sql: workerSql, sqs: queues.sqs, queues: config.queues, log }),
  pid: process.pid,
});
worker.start();
after(async () => {
  await worker.stop();
  await workerSql.end({ timeout: 2 });
});

async function seedJobs(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1)
    await seedOutbox(sql, await seedJob(sql, { type: probe.type }));
}

async function allRun(): Promise<boolean> {
  const [row] = await sql<{ waiting: number }[]>`
    select count(*)::integer as waiting from jobs where status <> 'RUNNING'`;
  return row?.waiting === 0;
}

async function nothingIsLost(jobs: number): Promise<void> {
  assert.deepEqual(await queues.counts(requests.dlqUrl), { visible: 0, inHand: 0 });
  const [kept] = await sql`select count(*)::integer as count from quarantined_messages`;
  assert.equal(kept?.['count'], 0);
  const { executions = [] } = await sfn.send(
    new ListExecutionsCommand({ stateMachineArn: `${prefix}${probe.type}`, maxResults: 1_000 }),
  );
  assert.equal(executions.length, jobs);
}

test('while Step Functions is down nothing is received and nothing lost; afterwards all is done', async () => {
  gateway.down();
  await seedJobs(40);
  await waitFor(() => has('circuit opened'), 20_000);
  // What was in hand when it opened ends; then there are only probes.
  await delay(2_500);
  const asked = gateway.operations.length;
  await waitFor(() => gateway.operations.length > asked + 3, 20_000, 'more probes');
  const inOutage = gateway.operations.slice(asked);
  assert.deepEqual([...new Set(inOutage)], ['ListStateMachines']);
  const [held] = await sql`select count(*)::integer as count from jobs where status = 'PENDING'`;
  assert.equal(held?.['count'], 40);
  gateway.up();
  await waitFor(allRun, 60_000, 'all jobs to run');
  await nothingIsLost(40);
});

test('while the database is away nothing is received and nothing lost; afterwards all is done', async () => {
  logged.length = 0;
  proxy.cut();
  const seeded = [];
  for (let index = 0; index < 30; index += 1) seeded.push(await seedJob(sql, { type: probe.type }));
  await queues.send(
    requests.url,
    seeded.map(({ envelope }) => JSON.stringify(envelope)),
  );
  await waitFor(() => has('circuit opened'), 20_000);
  await delay(4_000); // longer than five receives would take
  proxy.mend();
  await waitFor(allRun, 90_000, 'all jobs to run');
  await nothingIsLost(70);
});
