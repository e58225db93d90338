import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { SendMessageBatchCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import type { Envelope } from '../../jobs/envelope.ts';
import { waitFor } from '../support/wait-for.ts';
import { redriveDeadLetters } from './dead-letter-redrive.ts';
import { type Accepted, comeToRest, messagesIn, violations } from './invariants.ts';
import { startLab } from './lab.ts';
import { obedient, probe, textOf } from './scenarios.ts';

const lab = await startLab();
after(() => lab.stop());
obedient(lab);
const accepted: Accepted[] = [];
let quarantined = 0;

async function submit(prefix = 'good', more: object = {}): Promise<{ jobId: string; key: string }> {
  const key = `${prefix}-${randomUUID()}`;
  const jobId = await lab.submit(probe(key, more), key);
  accepted.push({ jobId, text: textOf(key) });
  return { jobId, key };
}

const messageOf = async (jobId: string): Promise<Envelope> => {
  const [row] = await lab.sql<{ envelope: Envelope }[]>`
    select envelope from outbox where job_id = ${jobId} and destination = 'job-requests'
    order by created_at desc limit 1`;
  assert.ok(row);
  return row.envelope;
};

const send = async (...bodies: readonly string[]): Promise<void> => {
  const Entries = bodies.map((MessageBody, index) => ({ Id: String(index), MessageBody }));
  const QueueUrl = lab.pawl.runtime().queues.jobRequests;
  await lab.sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
};

const deliveriesOf = async (jobId: string): Promise<number> => {
  const [row] = await lab.sql<{ deliveries: number }[]>`
    select deliveries from worker_inbox where job_id = ${jobId}`;
  return row?.deliveries ?? 0;
};

const rowOf = async (jobId: string) => {
  const [row] = await lab.sql`
    select status, run, revision, finished_at, execution_name, redrive_count, result from jobs where job_id = ${jobId}`;
  return { ...row };
};

const firing = async (): Promise<string[]> => {
  const { body } = await lab.call('/ops/alerts');
  const { alerts } = body as { alerts: { name: string; firing: boolean | null }[] };
  return alerts.filter((alert) => alert.firing).map(({ name }) => name);
};

const metrics = async (): Promise<string> =>
  await (await fetch(`${lab.pawl.runtime().api}/metrics`)).text();

const quarantinedCodes = async (): Promise<string[]> => {
  const rows = await lab.sql<
    { code: string }[]
  >`select code from quarantined_messages order by code`;
  return rows.map(({ code }) => code);
};

test('a queue that hangs after the commit delays no 202, and loses and doubles nothing', async () => {
  const cloud = lab.pidOf('cloud');
  process.kill(cloud, 'SIGSTOP');
  let submitted: { jobId: string; key: string };
  try {
    const startedAt = performance.now();
    submitted = await submit();
    assert.ok(performance.now() - startedAt < 4_000, 'the answer waited for SQS');
    // The API gives up on its send, whose bytes SQS reads nevertheless when it wakes up.
    await waitFor(async () => {
      const [row] = await lab.sql`select last_error from outbox where job_id = ${submitted.jobId}`;
      return row?.['last_error'] !== null;
    }, 40_000);
  } finally {
    process.kill(cloud, 'SIGCONT');
  }
  assert.equal((await lab.settled(submitted.jobId)).status, 'SUCCEEDED');
  assert.equal(lab.provider.requestsOf(submitted.key).length, 1);
});

test('a finished job’s message, sent five times more, changes nothing', async () => {
  const { jobId, key } = await submit();
  await lab.settled(jobId, ['SUCCEEDED']);
  const before = await rowOf(jobId);
  const body = JSON.stringify(await messageOf(jobId));
  await send(body, body, body, body, body);
  await waitFor(async () => (await deliveriesOf(jobId)) === 6, 20_000);
  assert.deepEqual(await rowOf(jobId), before);
  assert.equal(lab.provider.requestsOf(key).length, 1);
});

test('a running job’s message, sent again, starts no second execution', async () => {
  const { jobId, key } = await submit('slow');
  await lab.settled(jobId, ['RUNNING'], 20_000);
  await send(JSON.stringify(await messageOf(jobId)));
  await waitFor(async () => (await deliveriesOf(jobId)) === 2, 20_000);
  const job = await lab.settled(jobId);
  assert.deepEqual([job.status, job.run, job.execution.name], ['SUCCEEDED', 1, jobId]);
  assert.equal(lab.provider.requestsOf(key).length, 1);
});

test('a message with a changed body is quarantined with its reason, its job is untouched', async () => {
  const { jobId } = await submit();
  await lab.settled(jobId, ['SUCCEEDED']);
  const before = await rowOf(jobId);
  const message = await messageOf(jobId);
  await send(JSON.stringify({ ...message, payload: { ...message.payload, run: 7 } }));
  quarantined += 1;
  await waitFor(async () => (await quarantinedCodes()).includes('REQUEST_HASH_MISMATCH'), 20_000);
  assert.deepEqual(await rowOf(jobId), before);
});

test('two poison messages among ten: nine are done after one receive, the two are kept whole', async () => {
  const jobs = await Promise.all(Array.from({ length: 9 }, () => submit()));
  const [good] = jobs;
  assert.ok(good);
  const message = await messageOf(good.jobId);
  const jobId = '01900000-0000-7000-8000-000000000000';
  const stranger = JSON.stringify({
    ...message,
    messageId: randomUUID(),
    idempotencyKey: `start:${jobId}:0`,
    payload: { ...message.payload, jobId, executionName: jobId },
  });
  await send('{"no json', stranger);
  quarantined += 2;
  for (const job of jobs) assert.equal((await lab.settled(job.jobId)).status, 'SUCCEEDED');
  await waitFor(async () => (await quarantinedCodes()).length === quarantined, 20_000);
  for (const job of jobs) assert.equal(await deliveriesOf(job.jobId), 1);
  const kept = await lab.sql<{ body: string; code: string; reason: string }[]>`
    select body, code, reason from quarantined_messages where code in ('MESSAGE_MALFORMED', 'JOB_UNKNOWN')`;
  const bodyOf = Object.fromEntries(kept.map(({ body, code }) => [code, body]));
  assert.deepEqual(bodyOf, { JOB_UNKNOWN: stranger, MESSAGE_MALFORMED: '{"no json' });
  assert.ok(kept.every(({ reason }) => reason.length > 10));
});

test('older and newer schema versions and unknown types are quarantined, unknown fields are not minded', async () => {
  const { jobId } = await submit();
  await lab.settled(jobId, ['SUCCEEDED']);
  const message = await messageOf(jobId);
  const sent = { ...message, idempotencyKey: randomUUID() };
  await send(
    JSON.stringify({ ...sent, schemaVersion: 0 }),
    JSON.stringify({ ...sent, schemaVersion: 2 }),
    JSON.stringify({ ...sent, messageType: 'JobForgotten' }),
    JSON.stringify({ ...message, addedLater: { by: 'a newer version' } }),
  );
  quarantined += 3;
  await waitFor(async () => (await quarantinedCodes()).length === quarantined, 20_000);
  const codes = await quarantinedCodes();
  assert.equal(codes.filter((code) => code === 'SCHEMA_VERSION_UNKNOWN').length, 2);
  assert.ok(codes.includes('MESSAGE_TYPE_UNKNOWN'));
  await waitFor(async () => (await deliveriesOf(jobId)) === 2, 20_000);
});

test('every message delivered four times makes one execution and one effect a job', async () => {
  const jobs = await Promise.all(Array.from({ length: 10 }, () => submit()));
  const bodies = await Promise.all(
    jobs.map(async ({ jobId }) => JSON.stringify(await messageOf(jobId))),
  );
  for (let copy = 0; copy < 3; copy += 1) await send(...bodies);
  for (const { jobId, key } of jobs) {
    assert.equal((await lab.settled(jobId)).status, 'SUCCEEDED');
    assert.equal(lab.provider.requestsOf(key).length, 1);
  }
});

test('late, doubled and wrongly ordered events of an execution change nothing', async () => {
  const { jobId } = await submit();
  const job = await lab.settled(jobId, ['SUCCEEDED']);
  const before = await rowOf(jobId);
  const { executionEvents } = lab.pawl.runtime().queues;
  for (const status of ['FAILED', 'RUNNING', 'TIMED_OUT', 'SUCCEEDED', 'ABORTED', 'RUNNING']) {
    const { arn: executionArn, name } = job.execution;
    const detail = { executionArn, name, status, redriveCount: 0, error: 'Terminal', cause: '' };
    const event = { 'detail-type': 'Step Functions Execution Status Change', detail };
    await lab.sqs.send(
      new SendMessageCommand({ QueueUrl: executionEvents, MessageBody: JSON.stringify(event) }),
    );
  }
  await waitFor(async () => (await messagesIn(lab, executionEvents)) === 0, 20_000);
  assert.deepEqual(await rowOf(jobId), before);
});

test('a worker that stands still while its backlog ages: metric, alert and doctor say so, then all is done', async () => {
  const worker = lab.pidOf('worker');
  process.kill(worker, 'SIGSTOP');
  const jobs: { jobId: string; key: string }[] = [];
  try {
    jobs.push(...(await Promise.all(Array.from({ length: 20 }, () => submit()))));
    // Time compressed: it has stood still for ten minutes. What the API could not send waits for the worker's sweep.
    const sent = lab.sql.json(jobs.map(({ jobId }) => jobId));
    await waitFor(async () => {
      const rows = await lab.sql`
        update outbox set published_at = published_at - interval '10 minutes'
        where job_id in (select id::uuid from jsonb_array_elements_text(${sent}) as id)
          and published_at is not null and destination = 'job-requests'
        returning message_id`;
      return rows.length > 0;
    }, 20_000);
    await waitFor(async () => (await firing()).includes('JobRequestsBehind'), 20_000);
    const oldest = /pawl_queue_oldest_seconds\{queue="job-requests"\} (\d+)/.exec(await metrics());
    assert.ok(Number(oldest?.[1]) >= 600, oldest?.[0]);
    const { body } = await lab.call('/ops/doctor');
    const { findings } = body as { findings: { id: string; normal: boolean; runbook: string }[] };
    const finding = findings.find(({ id }) => id === 'JobRequestsBehind');
    assert.deepEqual([finding?.normal, finding?.runbook], [false, 'backlog-grows.md']);
  } finally {
    process.kill(worker, 'SIGCONT');
  }
  for (const { jobId, key } of jobs) {
    assert.equal((await lab.settled(jobId)).status, 'SUCCEEDED');
    assert.equal(lab.provider.requestsOf(key).length, 1);
  }
  await waitFor(async () => !(await firing()).includes('JobRequestsBehind'), 20_000);
});

test('of 100 dead letters that are redriven, some of them doubled, each is done once', async () => {
  const report = await redriveDeadLetters(lab, 100);
  assert.deepEqual(report.violations, []);
  assert.equal(report.deadLetters, 110);
  accepted.push(...report.accepted);
});

test('after all of it nothing is lost, doubled or left over', async () => {
  await comeToRest(lab, 60_000);
  assert.deepEqual(await violations(lab, { accepted, quarantined, secrets: ['the bytes of'] }), []);
});
