// The Step Functions engine by itself: `npm run bench -- engine` (EXECUTIONS=… for another number).
// A machine of 6 states, two of them Tasks that are answered at once; every event is on disk. Prints executions/s at
// concurrency 20 and the median of one at a time, in this process and over the wire, beside the ceiling of the same
// run: five commits of one row a job in PostgreSQL, which is the least that a job's life costs there. The aims: above
// that ceiling in process, a median under 10 ms.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import postgres from 'postgres';
import { createEngine, type Engine } from '../local/stepfunctions/engine.ts';
import { startTestServer } from '../test/support/postgres-server.ts';
import { waitFor } from '../test/support/wait-for.ts';
import { quantile, report, spread } from './support/measure.ts';

const executions = Number(process.env['EXECUTIONS'] ?? 20_000);
const repeats = Number(process.env['REPEATS'] ?? 3);
const concurrency = 20;
const commitsPerJob = 5;
const role = 'arn:aws:iam::000000000000:role/bench';

const task = { Type: 'Task', Resource: 'arn:aws:lambda:us-east-1:000000000000:function:instant' };
const machine = {
  StartAt: 'Prepare',
  States: {
    Prepare: { Type: 'Pass', Parameters: { 'job.$': '$.job', step: 1 }, Next: 'First' },
    First: { ...task, ResultPath: '$.first', Next: 'Decide' },
    Decide: {
      Type: 'Choice',
      Choices: [{ Variable: '$.step', NumericEquals: 1, Next: 'Second' }],
      Default: 'Done',
    },
    Second: { ...task, ResultPath: '$.second', Next: 'Collect' },
    Collect: { Type: 'Pass', Next: 'Done' },
    Done: { Type: 'Succeed' },
  },
};

const folder = mkdtempSync(join(tmpdir(), 'pawl-bench-'));
try {
  const ceilings: number[] = [];
  const inProcess: Measured[] = [];
  const overTheWire: Measured[] = [];
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    ceilings.push(await postgresCeiling());
    inProcess.push(await benchInProcess(join(folder, `in-process-${repeat}`)));
    overTheWire.push(await benchOverTheWire(join(folder, `wire-${repeat}`)));
  }
  const rates = inProcess.map(({ rate }) => rate);
  report(`engine: ${executions} executions of 6 states, ${repeats} repeats`, {
    [`PostgreSQL, ${commitsPerJob} commits a job, jobs/s`]: spread(ceilings),
    'in process, executions/s': spread(rates),
    'in process, median of one, ms': spread(
      inProcess.map(({ medianMs }) => medianMs),
      2,
    ),
    'over the wire, executions/s': spread(overTheWire.map(({ rate }) => rate)),
    'over the wire, median of one, ms': spread(
      overTheWire.map(({ medianMs }) => medianMs),
      2,
    ),
    'in process by the ceiling': (quantile(rates, 0.5) / quantile(ceilings, 0.5)).toFixed(2),
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}

type Measured = { readonly rate: number; readonly medianMs: number };

async function benchInProcess(dataDir: string): Promise<Measured> {
  const engine = createEngine({
    dataDir,
    taskRunner: {
      call: async () => ({ kind: 'succeeded', output: { ok: true } }),
      follow: async () => ({ kind: 'succeeded', output: null }),
    },
  });
  const runOne = await inProcessRunner(engine);
  await atConcurrency(1_000, runOne);
  const rate = await atConcurrency(executions, runOne);
  const medianMs = await medianOfOne(500, runOne);
  engine.stop();
  return { rate, medianMs };
}

/** Starts an execution and waits until it has ended, as a caller of the library does. */
async function inProcessRunner(engine: Engine): Promise<(job: number) => Promise<void>> {
  const created = await engine.call('CreateStateMachine', {
    name: 'bench',
    roleArn: role,
    definition: JSON.stringify(machine),
  });
  const stateMachineArn = 'stateMachineArn' in created ? created.stateMachineArn : '';
  return async (job) => {
    const started = await engine.call('StartExecution', {
      stateMachineArn,
      input: JSON.stringify({ job }),
    });
    const executionArn = 'executionArn' in started ? String(started.executionArn) : '';
    await engine.ended(executionArn);
  };
}

async function benchOverTheWire(dataDir: string): Promise<Measured> {
  const mocks = join(folder, 'mocks.json');
  const response = { '0': { Return: { Payload: { ok: true } } } };
  writeFileSync(
    mocks,
    JSON.stringify({
      StateMachines: { bench: { TestCases: { Instant: { First: 'ok', Second: 'ok' } } } },
      MockedResponses: { ok: response },
    }),
  );
  const server = new URL('../local/stepfunctions/server.ts', import.meta.url).pathname;
  const child = spawn(
    process.execPath,
    [server, '--port', '0', '--data', dataDir, '--mock-config', mocks],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { port } = JSON.parse(line) as { port: number };
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const call = (operation: string, body: object): Promise<string> =>
    post(agent, port, operation, body);
  const created = JSON.parse(
    await call('CreateStateMachine', {
      name: 'bench',
      roleArn: role,
      definition: JSON.stringify(machine),
    }),
  ) as { stateMachineArn: string };
  const start = (job: number): Promise<string> =>
    call('StartExecution', {
      stateMachineArn: `${created.stateMachineArn}#Instant`,
      input: JSON.stringify({ job }),
    });
  const drained = async (): Promise<boolean> => {
    const health = await fetch(`http://127.0.0.1:${port}/_health`);
    return ((await health.json()) as { open: number }).open === 0;
  };
  await atConcurrency(500, start);
  await waitFor(drained, 30_000);
  const began = performance.now();
  await atConcurrency(executions, start);
  await waitFor(drained, 60_000);
  const rate = (executions * 1000) / (performance.now() - began);
  const medianMs = await medianOfOne(200, async (job) => {
    const { executionArn } = JSON.parse(await start(job)) as { executionArn: string };
    for (;;) {
      const described = await call('DescribeExecution', { executionArn });
      if (!described.includes('"status":"RUNNING"')) return;
    }
  });
  child.kill('SIGTERM');
  await once(child, 'exit');
  agent.destroy();
  return { rate, medianMs };
}

function post(agent: Agent, port: number, operation: string, body: object): Promise<string> {
  const text = JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        agent,
        port,
        host: '127.0.0.1',
        method: 'POST',
        headers: {
          'Content-Type': 'application/x-amz-json-1.0',
          'X-Amz-Target': `AWSStepFunctions.${operation}`,
          'Content-Length': Buffer.byteLength(text),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const answer = Buffer.concat(chunks).toString();
          if (response.statusCode === 200) resolve(answer);
          else reject(new Error(`${operation}: ${answer}`));
        });
      },
    );
    sent.on('error', reject);
    sent.end(text);
  });
}

/** Five commits of one row for every job, by 20 connections. */
async function postgresCeiling(): Promise<number> {
  const server = await startTestServer();
  const sql = postgres(server.url, { max: concurrency, onnotice: () => undefined });
  await sql`create table bench (id bigint generated always as identity primary key, step int, body jsonb)`;
  const runOne = async (): Promise<void> => {
    for (let step = 0; step < commitsPerJob; step++) {
      await sql`insert into bench (step, body) values (${step}, '{"ok": true}')`;
    }
  };
  await atConcurrency(500, runOne);
  const rate = await atConcurrency(Math.min(executions, 10_000), runOne);
  await sql.end();
  await server.stop();
  return rate;
}

/** Returns how many were run a second. */
async function atConcurrency(
  count: number,
  runOne: (job: number) => Promise<unknown>,
): Promise<number> {
  let next = 0;
  const began = performance.now();
  const worker = async (): Promise<void> => {
    while (next < count) await runOne(next++);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return (count * 1000) / (performance.now() - began);
}

async function medianOfOne(
  count: number,
  runOne: (job: number) => Promise<unknown>,
): Promise<number> {
  const tookMs: number[] = [];
  for (let job = 0; job < count; job++) {
    const began = performance.now();
    await runOne(job);
    tookMs.push(performance.now() - began);
  }
  return tookMs.toSorted((a, b) => a - b)[Math.floor(count / 2)] ?? Number.NaN;
}
