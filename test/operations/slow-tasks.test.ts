import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type HistoryEvent, SFNClient } from '@aws-sdk/client-sfn';
import { pino } from 'pino';
import { readHistoryPage } from '../../jobs/execution-history.ts';
import { openStates, stateTimes } from '../../jobs/state-times.ts';
import { findSlowTasks } from '../../jobs/store/watched-runs.ts';
import { type WatchDeps, watchStates } from '../../jobs/watch-states.ts';
import { call } from '../api/call.ts';
import { waitFor } from '../support/wait-for.ts';
import { startOperations } from './start-operations.ts';

type Json = Record<string, unknown>;

/** A provider that keeps its answers back while it is told to. */
const held: ServerResponse[] = [];
let holds = false;
const provider = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    if (holds) held.push(response);
    else response.end('{}');
  });
});
await new Promise<void>((resolve) => {
  provider.listen(0, '127.0.0.1', resolve);
});
after(() => {
  provider.closeAllConnections();
  provider.close();
});
const { port } = provider.address() as AddressInfo;
const operations = await startOperations({ WEBHOOK_URL: `http://127.0.0.1:${port}/` });
const { ops, sql, submitGate, until } = operations;
const { api, keys, endpoints } = operations.pawl.runtime();

const sfn = new SFNClient({
  endpoint: endpoints.sfn,
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});
const deps: WatchDeps = {
  sql,
  types: ['gate'],
  readEvents: async ({ executionArn }, order) => {
    const page = { maxResults: 1_000, includeExecutionData: false };
    const reverseOrder = order === 'newest-first';
    return (await readHistoryPage(sfn, String(executionArn), { ...page, reverseOrder })).events;
  },
  isEnding: () => false,
  log: pino({ level: 'silent' }),
};
const inNoTime = { everySeconds: 0, leastSeconds: 1 };

const cli = fileURLToPath(new URL('../../cli/pawl.ts', import.meta.url));
async function runCli(...words: string[]): Promise<string> {
  const child = spawn(process.execPath, [cli, ...words], {
    env: { ...process.env, PAWL_URL: api, PAWL_KEY: keys.operator },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  await once(child, 'close');
  return output;
}

const slowTaskFinding = async (): Promise<Json | undefined> => {
  const { body } = await ops('GET', '/ops/doctor');
  return (body['findings'] as Json[]).find(({ id }) => id === 'slow-tasks');
};

test('a task that lasts longer than 99 of 100 did is listed with its state, its p99 and what to do', async () => {
  const jobs = await Promise.all(Array.from({ length: 21 }, () => submitGate()));
  for (const jobId of jobs) await until(jobId, 'SUCCEEDED');
  const passages = async (): Promise<number> => {
    await watchStates(deps, inNoTime);
    const [row] = await sql`
      select cardinality(seconds) as count, p99_seconds from state_times where type = 'gate' and state = 'PassGate'`;
    return Number(row?.['count'] ?? 0);
  };
  await waitFor(async () => (await passages()) >= 20, 30_000, 'the states to be measured');
  const known = await passages();
  assert.ok(known <= 21, `a run is measured once; ${known} passages of 21 runs`);

  holds = true;
  const jobId = await submitGate();
  await waitFor(() => held.length > 0, 20_000, 'the provider to be called');
  const slow = await waitFor(
    async () => {
      await watchStates(deps, inNoTime);
      return (await findSlowTasks(sql, 10, 1))[0];
    },
    20_000,
    'the task to be over its p99',
  );
  assert.deepEqual([slow.jobId, slow.type, slow.state], [jobId, 'gate', 'PassGate']);
  assert.ok(slow.ageSeconds > slow.usualSeconds && slow.usualSeconds > 0);
  // Nobody is told of a second.
  const { body: early } = await ops('GET', '/ops/stuck');
  assert.ok((early['jobs'] as Json[]).every(({ why }) => why !== 'slow-task'));

  const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
  await sql`
    update watched_runs set open_states = jsonb_set(open_states, '{0,since}', to_jsonb(${hourAgo}::text))
    where job_id = ${jobId}`;
  const { body } = await ops('GET', '/ops/stuck');
  const [listed, ...others] = body['jobs'] as Json[];
  assert.deepEqual(
    [listed?.['jobId'], listed?.['why'], listed?.['state'], listed?.['usualSeconds'], others],
    [jobId, 'slow-task', 'PassGate', slow.usualSeconds, []],
  );
  assert.match(String(listed?.['nextAction']), /^PassGate takes longer than it uses to/);
  assert.match(
    await runCli('stuck'),
    new RegExp(`^slow-task {2}${jobId} {2}gate {2}RUNNING in PassGate {2}36\\d\\d s \\(p99 `),
  );
  const finding = await waitFor(
    async () => {
      const found = await slowTaskFinding();
      return found?.['normal'] === false && found;
    },
    10_000,
    'the doctor to find it',
  );
  assert.match(
    String(finding['answer']),
    /^1 over their p99, 1 over twice of it; the furthest: gate/,
  );
  const metrics = await call('GET', `${api}/metrics`, {});
  assert.match(metrics.text, /^pawl_tasks_over_p99 1$/m);

  holds = false;
  for (const response of held) response.end('{}');
  await until(jobId, 'SUCCEEDED');
  assert.deepEqual((await ops('GET', '/ops/stuck')).body['jobs'], []);
  await watchStates(deps, inNoTime);
  assert.equal((await sql`select from watched_runs`).length, 0);
});

const at = (second: number): Date => new Date(Date.UTC(2031, 0, 1, 0, 0, second));
const event = (id: number, previousEventId: number, type: string, second: number, name?: string) =>
  ({
    id,
    previousEventId,
    type,
    timestamp: at(second),
    ...(name === undefined
      ? {}
      : type.endsWith('Entered')
        ? { stateEnteredEventDetails: { name } }
        : { stateExitedEventDetails: { name } }),
  }) as HistoryEvent;

test('a state is measured from its entry to its exit, with its retries; states that do no work are not', () => {
  const events = [
    event(1, 0, 'ExecutionStarted', 0),
    event(2, 1, 'TaskStateEntered', 0, 'Work'),
    event(3, 2, 'TaskScheduled', 0),
    event(4, 3, 'TaskFailed', 2),
    event(5, 4, 'TaskScheduled', 5),
    event(6, 5, 'TaskSucceeded', 7),
    event(7, 6, 'TaskStateExited', 7, 'Work'),
    event(8, 7, 'WaitStateEntered', 7, 'Sleep'),
    event(9, 8, 'WaitStateExited', 60, 'Sleep'),
    event(10, 9, 'ExecutionSucceeded', 60),
  ];
  assert.deepEqual(stateTimes(events), [{ state: 'Work', seconds: 7 }]);
});

test('a state that a redrive goes on with is open since the redrive, not since its first entry', () => {
  const events = [
    event(1, 0, 'ExecutionStarted', 0),
    event(2, 1, 'TaskStateEntered', 1, 'Work'),
    event(3, 2, 'TaskScheduled', 1),
    { ...event(4, 3, 'TaskFailed', 2), taskFailedEventDetails: { error: 'Terminal' } },
    event(5, 4, 'ExecutionFailed', 2),
    event(6, 5, 'ExecutionRedriven', 40),
    event(7, 2, 'TaskScheduled', 40),
  ] as HistoryEvent[];
  assert.deepEqual(openStates(events.toReversed()), [
    { state: 'Work', since: at(40).toISOString(), attempts: 2, error: 'Terminal' },
  ]);
  // Of a long history only the newest events are read.
  assert.deepEqual(openStates(events.toReversed().slice(0, 2)), []);
});
