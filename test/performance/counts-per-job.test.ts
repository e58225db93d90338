import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GetExecutionHistoryCommand, SFNClient } from '@aws-sdk/client-sfn';
import { connect, type Sql } from '../../jobs/store/connect.ts';
import { endOtherBackends } from '../support/end-other-backends.ts';
import { type RunningPawl, startPawl } from '../support/start-pawl.ts';
import { countStatements, type StatementCount } from '../support/statement-counts.ts';
import { waitFor } from '../support/wait-for.ts';

// What a job of five steps costs, counted and not timed, so that it says the same on every machine. Jobs go one after the
// other: that is the dearest way, for nothing can be shared. docs/performance.md explains each of them.
const jobs = 40;
const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const countsDir = mkdtempSync(join(tmpdir(), 'pawl-http-counts-'));

let pawl: RunningPawl;
let sql: Sql;
let isStopped = false;
let statements: readonly StatementCount[] = [];
let commits = 0;
/** How long each job's client was held, milliseconds. */
let heldMs: readonly number[] = [];
let events: readonly number[] = [];
let http: Readonly<Record<string, number>> = {};

before(async () => {
  pawl = await startPawl({
    env: {
      JOB_TYPE_DIRS: fileOf('../../bench/job-types'),
      LOG_LEVEL: 'warn',
      NODE_OPTIONS: `--import ${fileOf('count-http-requests.ts')}`,
      HTTP_COUNTS_DIR: countsDir,
    },
  });
  const { databaseUrl, endpoints } = pawl.runtime();
  sql = connect(
    { url: databaseUrl, poolSize: 1, statementTimeoutMs: 10_000, lockTimeoutMs: 5_000 },
    'test',
  );
  const counts = await countStatements(pawl, sql);
  // Its workers' transactions would be counted as commits; they come by the clock.
  await sql`alter system set autovacuum = off`;
  await sql`select pg_reload_conf()`;
  for (let n = 0; n < 10; n += 1) await runJob(n); // connections, caches
  await endOtherBackends(sql);
  await waitFor(isListening, 10_000);
  // Meanwhile the others have swept, and would tell those commits among the jobs'.
  await endOtherBackends(sql, listener);
  await counts.reset();
  const commitsBefore = await commitsSoFar();
  const arns: string[] = [];
  const held: number[] = [];
  for (let n = 0; n < jobs; n += 1) {
    const job = await runJob(n);
    arns.push(job.executionArn);
    held.push(job.heldMs);
  }
  heldMs = held;
  await endOtherBackends(sql);
  statements = await counts.read();
  commits = (await commitsSoFar()) - commitsBefore;
  const sfn = new SFNClient({
    endpoint: endpoints.sfn,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  events = await Promise.all(arns.map((arn) => countEvents(sfn, arn)));
  sfn.destroy();
  await stop();
  http = sumOf(
    readdirSync(countsDir).map((name) => JSON.parse(readFileSync(join(countsDir, name), 'utf8'))),
  );
});
after(async () => {
  await stop();
  rmSync(countsDir, { recursive: true, force: true });
});

async function stop(): Promise<void> {
  if (isStopped) return;
  isStopped = true;
  await sql.end({ timeout: 2 });
  assert.equal(await pawl.stop(), 0);
}

test('a job of five steps takes so many statements and commits', () => {
  const ofJobs = statements.filter(({ statement }) => !isByTime(statement));
  const total = sumOfCalls(ofJobs);
  const listed = ofJobs.map(({ calls, statement }) => `${calls / jobs} ${statement.slice(0, 90)}`);
  assert.ok(total / jobs <= 14, `${total / jobs} statements a job:\n${listed.join('\n')}`);
  // Whoever listens begins and ends a transaction for what it hears, which writes nothing.
  const heard = sumOfCalls(statements.filter(({ statement }) => /pg_notify/.test(statement)));
  const all = sumOfCalls(statements) + heard;
  assert.ok(commits <= all + 10, `${commits} commits, ${all} statements and notifications`);
  // Those that write: submit, published, claim, started, RUNNING by the first task, four steps, SUCCEEDED.
  const writing = statements.filter(({ walBytes, calls }) => walBytes / calls > 64);
  const writes = writing.reduce((sum, { calls }) => sum + calls, 0);
  assert.ok(writes / jobs <= 11.5, `${writes / jobs} writing statements a job`);
});

test('who waits for a job costs no query when it has ended, for the call holds it, and one every 40 ms before', () => {
  const watching = statements.filter(({ statement }) => /given \(id uuid/.test(statement));
  const calls = sumOfCalls(watching);
  const most = heldMs.reduce((sum, ms) => sum + Math.floor(ms / 40), 0);
  assert.ok(
    calls <= most,
    `${calls} queries for ${jobs} jobs held for ${heldMs.map(Math.round).join(', ')} ms`,
  );
});

test('a job of five steps writes at most 14 kB of WAL', () => {
  const bytes = statements.reduce((sum, { walBytes }) => sum + walBytes, 0);
  assert.ok(bytes / jobs <= 14_000, `${bytes / jobs} bytes a job`);
});

test('a job of five steps is 27 events of its execution', () => {
  assert.deepEqual(new Set(events), new Set([27]));
});

test('a job of five steps takes so many messages and HTTP calls', () => {
  const perJob = (name: string): number => (http[name] ?? 0) / (jobs + 10);
  const invoked = perJob('POST /2015-03-31/functions/*/invocations');
  assert.equal(invoked, 5, `${invoked} invocations a job`);
  assert.equal(perJob('AWSStepFunctions.StartExecution'), 1);
  // One for the request; the job's event and its execution's ending go through EventBridge.
  const most: Record<string, number> = {
    'AmazonSQS.SendMessageBatch': 1.5,
    'AmazonSQS.DeleteMessageBatch': 3,
    'AWSEvents.PutEvents': 2.5,
  };
  for (const [name, limit] of Object.entries(most)) {
    assert.ok(perJob(name) <= limit, `${perJob(name)} ${name} a job: ${JSON.stringify(http)}`);
  }
});

/** Sweeps, watches and the like run by the clock, however many jobs there are. */
const isByTime = (statement: string): boolean =>
  /^with due|given \(id uuid|from bulk_|into workers|pg_stat_|api_keys/.test(statement);

/** Gives the ARN of the job's execution once the job is SUCCEEDED. */
async function runJob(n: number): Promise<{ executionArn: string; heldMs: number }> {
  const { api, keys } = pawl.runtime();
  const authorization = `Bearer ${keys.client}`;
  const submitted = await fetch(`${api}/jobs`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'five-steps', input: { n: String(n) } }),
  });
  const { jobId } = (await submitted.json()) as { jobId: string };
  const heldSince = performance.now();
  const answer = await fetch(`${api}/jobs/${jobId}`, {
    headers: { authorization, prefer: 'wait=30' },
  });
  const job = (await answer.json()) as { status: string; execution: { arn: string } };
  assert.equal(job.status, 'SUCCEEDED');
  return { executionArn: job.execution.arn, heldMs: performance.now() - heldSince };
}

const sumOfCalls = (counted: readonly StatementCount[]): number =>
  counted.reduce((sum, { calls }) => sum + calls, 0);

/** As the API's connection for ended jobs calls itself. */
const listener = 'pawl api waits';

/** Whether the API has made its connection for ended jobs anew. */
async function isListening(): Promise<boolean> {
  const [row] = await sql`
    select from pg_stat_activity where application_name = ${listener} and query like 'listen %' and state = 'idle'`;
  return row !== undefined;
}

/** Without the one that each connection begins with: it is no statement. */
async function commitsSoFar(): Promise<number> {
  // What this connection has done itself is told now, and not up to ten seconds later.
  await sql`select pg_stat_force_next_flush()`;
  await sql`select pg_stat_clear_snapshot()`;
  const [row] = await sql<{ commits: number }[]>`
    select (xact_commit - sessions)::double precision as commits from pg_stat_database where datname = current_database()`;
  return row?.commits ?? 0;
}

async function countEvents(sfn: SFNClient, executionArn: string): Promise<number> {
  const { events: found = [] } = await sfn.send(
    new GetExecutionHistoryCommand({ executionArn, maxResults: 1_000 }),
  );
  return found.length;
}

function sumOf(all: readonly Record<string, number>[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const one of all) {
    for (const [name, count] of Object.entries(one)) sum[name] = (sum[name] ?? 0) + count;
  }
  return sum;
}
