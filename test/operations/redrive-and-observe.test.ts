import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { v7 } from 'uuid';
import { findFreePort } from '../../local/processes/free-port.ts';
import { call } from '../api/call.ts';
import { waitFor } from '../support/wait-for.ts';
import { startOperations } from './start-operations.ts';

type Json = Record<string, unknown>;
type Received = { readonly headers: Readonly<Record<string, unknown>>; readonly body: string };

/** An HTTP server that keeps what it gets and answers 200. */
async function startReceiver(): Promise<{ readonly url: string; readonly received: Received[] }> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString('utf8') });
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

const provider = await startReceiver();
const collector = await startReceiver();
const metricsPort = await findFreePort();
const operations = await startOperations({
  WEBHOOK_URL: `${provider.url}/webhook`,
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  WORKER_METRICS_PORT: String(metricsPort),
});
const { ops, submitGate, until, closeGate, openGate, sql } = operations;

const callsFor = (jobId: string): Received[] =>
  provider.received.filter(({ body }) => body.includes(jobId));

const cli = fileURLToPath(new URL('../../cli/pawl.ts', import.meta.url));

/** `pawl <words>` with the operator's key. */
async function runCli(...words: string[]): Promise<{ code: number | null; output: string }> {
  const { api, keys } = operations.pawl.runtime();
  const child = spawn(process.execPath, [cli, ...words], {
    env: { ...process.env, PAWL_URL: api, PAWL_KEY: keys.operator },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

/** As a deploy does: SIGTERM, and another one takes its place. */
async function restartWorker(): Promise<void> {
  const { worker } = operations.pawl.runtime().pids;
  process.kill(worker, 'SIGTERM');
  const isReplaced = (): boolean => operations.pawl.runtime().pids.worker !== worker;
  await waitFor(isReplaced, 30_000, 'another worker');
}

test('the preview says what a redrive will run, the redrive runs just that, and the timeline shows it', async () => {
  closeGate();
  const jobId = await submitGate();
  const failed = await until(jobId, 'FAILED');
  assert.equal(failed.links['failure'], '/failures/EXECUTION_FAILED');
  const meaning = await ops('GET', failed.links['failure'] ?? '');
  assert.match(String(meaning.body['whatToDo']), /restart/);

  const { body: preview } = await ops('GET', `/jobs/${jobId}/redrive`);
  const { redrivable, auto, resume, definitionChanged, effects } = preview as Json as {
    redrivable: boolean;
    auto: string;
    definitionChanged: boolean;
    resume: { allowed: boolean; until: string; statesAgain: string[]; statesAfter: string[] };
    effects: { done: Json[]; open: Json[]; unknown: Json[] };
  };
  assert.deepEqual(
    [redrivable, auto, resume.allowed, definitionChanged],
    [true, 'resume', true, false],
  );
  assert.deepEqual(resume.statesAgain, ['PassGate']);
  assert.deepEqual(resume.statesAfter, ['MarkSucceeded']);
  const daysLeft = (Date.parse(resume.until) - Date.now()) / 86_400_000;
  assert.ok(daysLeft > 13.9 && daysLeft <= 14, `${daysLeft} days`);
  assert.deepEqual([effects.done.length, effects.open.length, effects.unknown.length], [1, 0, 0]);

  openGate();
  const reason = 'the gate is open';
  assert.equal((await ops('POST', `/jobs/${jobId}/redrive`, { reason })).status, 202);
  await until(jobId, 'SUCCEEDED');
  assert.equal(callsFor(jobId).length, 1);

  const { body: execution } = await ops('GET', `/jobs/${jobId}/execution?limit=1000`);
  const states = execution['states'] as { name: string; status: string; attempts: number }[];
  assert.deepEqual(
    states.map(({ name, status, attempts }) => [name, status, attempts]),
    [
      ['MarkRunning', 'SUCCEEDED', 1],
      ['PassGate', 'SUCCEEDED', 2],
      ['MarkSucceeded', 'SUCCEEDED', 1],
    ],
  );
  const { events } = execution['history'] as { events: { type: string }[] };
  assert.ok(events.some(({ type }) => type === 'ExecutionRedriven'));
  const { body: audit } = await ops('GET', `/ops/audit?jobId=${jobId}`);
  const [entry] = audit['entries'] as { result: string; reason: string }[];
  assert.deepEqual([entry?.result, entry?.reason], ['FAILED → PENDING', reason]);
});

test('a job that has not failed cannot be resumed, with AWS’s reason', async () => {
  openGate();
  const jobId = await submitGate();
  await until(jobId, 'SUCCEEDED');
  const { body } = await ops('GET', `/jobs/${jobId}/redrive`);
  assert.equal(body['redrivable'], false);
  assert.equal((body['resume'] as Json)['reason'], 'Execution is SUCCEEDED and cannot be redriven');
});

test('a bulk redrive goes on after a restart of its worker, and no provider is called twice', async () => {
  closeGate();
  const jobs = await Promise.all(Array.from({ length: 16 }, () => submitGate()));
  for (const jobId of jobs) await until(jobId, 'FAILED');
  openGate();
  const { body: dryRun } = await ops('POST', '/jobs/redrive', {
    filter: { type: 'gate' },
    dryRun: true,
  });
  assert.deepEqual(dryRun, { matched: 16, eligible: 16, ineligible: [] });

  const started = await ops('POST', '/jobs/redrive', {
    filter: { type: 'gate', code: 'EXECUTION_FAILED' },
    ratePerSecond: 10,
    name: 'gate was closed',
    reason: 'open again',
  });
  assert.equal(started.status, 202);
  const bulk = async (): Promise<Json> =>
    (await ops('GET', `/ops/bulk/${String(started.body['bulkId'])}`)).body;
  await waitFor(async () => Number((await bulk())['done']) >= 5, 10_000, 'some to be redriven');
  await restartWorker();
  await waitFor(async () => (await bulk())['status'] === 'COMPLETED', 60_000, 'it to complete');
  for (const jobId of jobs) await until(jobId, 'SUCCEEDED');
  const { done, skipped } = await bulk();
  assert.deepEqual([done, skipped], [16, 0]);
  for (const jobId of jobs) assert.equal(callsFor(jobId).length, 1);
  const runs = await sql`
    select distinct run from jobs
    where job_id in (select id::uuid from jsonb_array_elements_text(${sql.json(jobs)}) as id)`;
  assert.deepEqual([...runs], [{ run: 2 }]);
});

test('a bulk cancel from a terminal counts first, keeps its pace, and goes on after a restart of its worker', async () => {
  const { api, keys } = operations.pawl.runtime();
  const notBefore = new Date(Date.now() + 3_600_000).toISOString();
  const jobs = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const json = { type: 'gate', input: { closedWhile: '' }, notBefore, tags: { wave: 'late' } };
      const { body } = await call('POST', `${api}/jobs`, { key: keys.client, json });
      return body.jobId;
    }),
  );
  const which = ['bulk', 'cancel', '--tag', 'wave:late', '--json'];
  const dryRun = await runCli(...which, '--dry-run');
  assert.deepEqual(JSON.parse(dryRun.output), { matched: 6, eligible: 6, ineligible: [] });
  const started = await runCli(...which, '--rate', '2', '--name', 'late', '--reason', 'not wanted');
  const { bulkId, total } = JSON.parse(started.output) as { bulkId: string; total: number };
  assert.equal(total, 6);
  await restartWorker();
  const bulk = async (): Promise<Json> => (await ops('GET', `/ops/bulk/${bulkId}`)).body;
  await waitFor(async () => (await bulk())['status'] === 'COMPLETED', 60_000, 'it to complete');
  for (const jobId of jobs) await until(jobId, 'CANCELLED');
  const { operation, done, skipped, statuses } = await bulk();
  assert.deepEqual([operation, done, skipped, statuses], ['cancel', 6, 0, { CANCELLED: 6 }]);
  const { body: audit } = await ops('GET', `/ops/audit?target=bulk/${bulkId}`);
  assert.deepEqual(
    (audit['entries'] as Json[]).map(({ action, reason, result }) => [action, reason, result]),
    [['bulk.start', 'not wanted', '6 jobs']],
  );
  const tenant = await call('POST', `${api}/jobs/cancel`, {
    key: keys.client,
    json: { filter: {}, dryRun: true },
  });
  assert.equal(tenant.status, 403);
});

test('what an operator looks at is there on a terminal too', async () => {
  closeGate();
  const jobId = await submitGate();
  await until(jobId, 'FAILED');
  openGate();
  const look = async (...words: string[]): Promise<Json> => {
    const { code, output } = await runCli(...words, '--json');
    assert.equal(code, 0, words.join(' '));
    return JSON.parse(output) as Json;
  };
  assert.equal(((await look('queues'))['workers'] as Json[]).length > 0, true);
  // Others' rows wait for their time; this job's request was sent.
  const waiting = (await look('outbox'))['messages'] as Json[];
  assert.ok(
    !waiting.some((row) => row['jobId'] === jobId && row['messageType'] === 'JobRequested'),
  );
  assert.ok(((await look('alerts'))['alerts'] as Json[]).every(({ runbook }) => runbook !== ''));
  assert.deepEqual(Object.keys(await look('stuck')), ['jobs']);
  assert.equal((await look('preview', jobId))['auto'], 'resume');
  assert.equal(((await look('execution', jobId))['execution'] as Json)['status'], 'FAILED');
  assert.equal(
    ((await look('trail', jobId))['messages'] as Json[])[0]?.['messageType'],
    'JobRequested',
  );
  const { output } = await runCli('get', jobId);
  assert.match(output, /→ what it means and what to do: pawl failure EXECUTION_FAILED$/m);
  assert.equal((await look('failure', 'EXECUTION_FAILED'))['code'], 'EXECUTION_FAILED');
  await runCli('redrive', jobId, '--reason', 'seen on a terminal');
  const { entries } = await look('audit', jobId);
  assert.deepEqual(
    (entries as Json[]).map(({ reason }) => reason),
    ['seen on a terminal'],
  );
});

test('a held effect is listed and resolved by a person, once, with a reason', async () => {
  const jobId = await submitGate();
  await until(jobId, 'SUCCEEDED');
  const effectId = v7();
  await sql`
    insert into external_effects (effect_id, tenant_id, effect_key, job_id, execution_name, redrive_count, provider,
                                  operation, policy, status, request_hash)
    select ${effectId}, tenant_id, ${`held:${jobId}`}, job_id, execution_name, 0, 'payment', 'charge', 'hold', 'UNKNOWN',
           ${'0'.repeat(64)} from jobs where job_id = ${jobId}`;
  const listed = await ops('GET', '/ops/effects');
  assert.deepEqual(
    (listed.body['effects'] as Json[]).map((effect) => effect['effectId']),
    [effectId],
  );
  const path = `/effects/${effectId}/resolve`;
  assert.equal((await ops('POST', path, { verdict: 'completed' })).status, 400);
  const verdict = {
    verdict: 'completed',
    providerReference: 'ch_1',
    reason: 'seen at the provider',
  };
  const resolved = await ops('POST', path, verdict);
  assert.equal(resolved.status, 200);
  assert.deepEqual(
    [resolved.body.status, resolved.body['providerReference']],
    ['COMPLETED', 'ch_1'],
  );
  const again = await ops('POST', path, {
    ...verdict,
    verdict: 'abandon',
    providerReference: undefined,
  });
  assert.deepEqual([again.status, again.body.code], [409, 'effect-not-held']);
  assert.equal((await ops('POST', `/effects/${v7()}/resolve`, verdict)).status, 404);
  const { body: audit } = await ops('GET', `/ops/audit?action=effect.resolve&jobId=${jobId}`);
  assert.deepEqual(
    (audit['entries'] as Json[]).map((entry) => entry['result']),
    ['refused: its outcome is not unknown', 'completed'],
  );
});

test('the doctor finds nothing on a healthy system, and the poison on a broken one', async () => {
  const poison = async (): Promise<Json | undefined> => {
    const { body } = await ops('GET', '/ops/doctor');
    return (body['findings'] as Json[]).find((finding) => finding['id'] === 'poison');
  };
  await waitFor(async () => (await poison())?.['normal'] === true, 10_000, 'no poison');
  const { jobRequestsDlq } = operations.pawl.runtime().queues;
  const message = { QueueUrl: jobRequestsDlq, MessageBody: 'poison' };
  await operations.sqs.send(new SendMessageCommand(message));
  const found = await waitFor(
    async () => {
      const finding = await poison();
      return finding?.['normal'] === false && finding;
    },
    10_000,
    'the poison to be found',
  );
  assert.equal(found['answer'], '1 dead letters, 0 quarantined');
  assert.equal(found['runbook'], 'dead-letters-and-quarantine.md');
  const { code, output } = await runCli('doctor');
  assert.equal(code, 1);
  assert.match(output, /ABNORMAL {2}Is there poison\?\n +1 dead letters, 0 quarantined/);
});

test('api and worker serve their metrics, without ids in their labels', async () => {
  const api = await (await fetch(`${operations.pawl.runtime().api}/metrics`)).text();
  const worker = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  for (const text of [api, worker]) {
    assert.match(text, /^pawl_figures_up 1$/m);
    assert.match(text, /^pawl_dead_letters\{queue="job-requests-dlq"\} 1$/m);
    assert.match(text, /^pawl_workers\{state="alive"\} \d+$/m);
    assert.match(text, /^nodejs_eventloop_lag_p99_seconds /m);
    assert.doesNotMatch(text, /[0-9a-f]{8}-[0-9a-f]{4}-7/);
  }
  assert.match(worker, /^pawl_messages_total\{queue="job-requests",outcome="done"\} \d+$/m);
  assert.match(api, /^pawl_http_request_duration_seconds_count\{.*route="\/jobs\/:jobId"/m);
});

test('a job is one trace from its request to the provider', async () => {
  openGate();
  const jobId = await submitGate();
  await until(jobId, 'SUCCEEDED');
  const header = String(callsFor(jobId)[0]?.headers['traceparent']);
  const traceId = header.split('-')[1] ?? '';
  assert.match(traceId, /^[0-9a-f]{32}$/);
  const names = (): string[] =>
    collector.received.flatMap(({ body }) => {
      const { resourceSpans } = JSON.parse(body) as {
        resourceSpans: { scopeSpans: { spans: { traceId: string; name: string }[] }[] }[];
      };
      return resourceSpans
        .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
        .filter((span) => span.traceId === traceId)
        .map(({ name }) => name);
    });
  const wanted = [
    'POST /jobs',
    'send job-requests',
    'process job-requests',
    'task mark-running',
    'task pass-gate',
    'POST webhook',
    'task mark-succeeded',
  ];
  await waitFor(() => wanted.every((name) => names().includes(name)), 10_000, wanted.join(', '));
});
