import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { redriveDeadLetters } from '../../jobs/dead-letters.ts';
import { newJobId } from '../../jobs/ids.ts';
import { seedJob } from '../support/seed-job.ts';
import { waitFor } from '../support/wait-for.ts';
import { startOperations } from './start-operations.ts';

const operations = await startOperations();

type Message = {
  readonly quarantineId: string;
  readonly messageId: string;
  readonly body: string;
  readonly code: string;
  readonly reason: string;
  readonly jobStatus: string | null;
};

const send = async (queueUrl: string, body: string): Promise<void> => {
  await operations.sqs.send(
    new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: body, MessageGroupId: 'local' }),
  );
};
const messagesOf = async (path: string): Promise<readonly Message[]> => {
  const { body } = await operations.ops('GET', path);
  return body['messages'] as readonly Message[];
};
const depthOf = async (queueUrl: string): Promise<number> => {
  const { Attributes } = await operations.sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl: queueUrl,
      AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
    }),
  );
  return Object.values(Attributes ?? {}).reduce((sum, count) => sum + Number(count), 0);
};

test('poison among good messages is kept with body and reason, and the good ones are done', async () => {
  const { jobRequests } = operations.pawl.runtime().queues;
  const good = await Promise.all(Array.from({ length: 9 }, () => operations.submitGate()));
  const unknownJob = (await seedJob(operations.sql)).envelope;
  const nobody = newJobId();
  const stray = JSON.stringify({
    ...unknownJob,
    aggregateId: nobody,
    payload: { ...unknownJob.payload, jobId: nobody, executionName: nobody },
  });
  await send(jobRequests, 'not JSON at all');
  await send(jobRequests, stray);

  for (const jobId of good) await operations.until(jobId, 'SUCCEEDED');
  const kept = await waitFor(
    async () => {
      const messages = await messagesOf('/ops/quarantine');
      return messages.length === 2 && messages;
    },
    10_000,
    'two quarantined messages',
  );
  const byCode = new Map(kept.map((message) => [message.code, message]));
  assert.equal(byCode.get('MESSAGE_MALFORMED')?.body, 'not JSON at all');
  assert.match(byCode.get('MESSAGE_MALFORMED')?.reason ?? '', /not JSON/);
  assert.equal(byCode.get('JOB_UNKNOWN')?.body, stray);
  const [deliveries] = await operations.sql`
    select max(deliveries) as most from worker_inbox where job_id in
      (select id::uuid from jsonb_array_elements_text(${operations.sql.json(good)}) as id)`;
  assert.equal(deliveries?.['most'], 1);
});

test('a quarantined message that can be worked on by now is redriven, another one discarded, each with its audit', async () => {
  const stray = (await messagesOf('/ops/quarantine?code=JOB_UNKNOWN'))[0];
  const malformed = (await messagesOf('/ops/quarantine?code=MESSAGE_MALFORMED'))[0];
  assert.ok(stray !== undefined && malformed !== undefined);
  const { jobId } = JSON.parse(stray.body).payload as { jobId: string };
  const { tenantId } = operations.pawl.runtime();
  await operations.sql`
    insert into jobs (job_id, tenant_id, type, execution_name, input, request_hash, correlation_id)
    values (${jobId}, 'acme', 'gate', ${jobId}, ${operations.sql.json({ closedWhile: '/none' })}, ${'0'.repeat(64)}, 'late')`;
  assert.notEqual(tenantId, 'acme');

  const reason = 'its job was restored';
  const redriven = await operations.ops('POST', '/ops/quarantine/redrive', {
    ids: [stray.quarantineId],
    reason,
  });
  assert.deepEqual(redriven.body['ids'], [stray.quarantineId]);
  await waitFor(
    async () => {
      const [row] = await operations.sql`select status from jobs where job_id = ${jobId}`;
      return row?.['status'] !== 'PENDING';
    },
    10_000,
    'the redriven message to start its job',
  );
  const discarded = await operations.ops('POST', '/ops/quarantine/discard', {
    all: true,
    code: 'MESSAGE_MALFORMED',
    reason: 'nobody knows who sent it',
  });
  assert.deepEqual(discarded.body['ids'], [malformed.quarantineId]);
  assert.deepEqual(await messagesOf('/ops/quarantine'), []);

  const { body } = await operations.ops('GET', '/ops/audit?action=quarantine.redrive');
  const [entry] = body['entries'] as { reason: string; result: string; actor: string }[];
  assert.equal(entry?.reason, reason);
  assert.equal(entry?.result, '1 sent again');
  assert.match(entry?.actor ?? '', /^operator key /);
});

test('dead letters are looked at without being lost, one is redriven with its key, the others discarded', async () => {
  const { jobRequestsDlq } = operations.pawl.runtime().queues;
  const { tenantId } = operations.pawl.runtime();
  const job = await seedJob(operations.sql, {
    type: 'gate',
    tenantId,
    input: { closedWhile: '/none' },
  });
  await send(jobRequestsDlq, JSON.stringify(job.envelope));
  // As the reconciler leaves it that has found the message here.
  await operations.sql`
    update jobs set held_since = now(), held_because = 'its message is in the dead-letter queue', owner_until = null
    where job_id = ${job.jobId}`;
  const stuck = async (): Promise<
    readonly { jobId: string; why: string; nextAction: string }[]
  > => {
    const { body } = await operations.ops('GET', '/ops/stuck');
    return body['jobs'] as { jobId: string; why: string; nextAction: string }[];
  };
  const held = (await stuck()).find(({ jobId }) => jobId === job.jobId);
  assert.equal(held?.why, 'held');
  assert.match(held.nextAction, /dead-letter queue; mend the cause, then redrive the message/);
  for (const letter of ['a', 'b', 'c']) await send(jobRequestsDlq, letter);

  const first = await messagesOf('/ops/dlq?queue=job-requests');
  const again = await messagesOf('/ops/dlq?queue=job-requests');
  assert.equal(first.length, 4);
  assert.deepEqual(again.map(({ body }) => body).sort(), first.map(({ body }) => body).sort());
  const mine = first.find(({ body }) => body.includes(job.jobId));
  assert.equal(mine?.jobStatus, 'PENDING');
  assert.match(mine?.reason ?? '', /the inbox has not seen it/);

  const redriven = await operations.ops('POST', '/ops/dlq/redrive', {
    queue: 'job-requests',
    messageIds: [mine?.messageId],
    reason: 'the crash is mended',
  });
  assert.deepEqual(redriven.body, { messageIds: [mine?.messageId], more: false });
  await operations.until(job.jobId, 'SUCCEEDED');
  // A short job may be done before its start is recorded.
  const { idempotencyKey } = job.envelope;
  await waitFor(
    async () => {
      const [inbox] = await operations.sql`
        select status from worker_inbox where idempotency_key = ${idempotencyKey}`;
      return inbox?.['status'] === 'COMPLETED';
    },
    5_000,
    'its message closed in the inbox',
  );

  const discarded = await operations.ops('POST', '/ops/dlq/discard', {
    queue: 'job-requests',
    all: true,
    reason: 'test messages',
  });
  assert.equal((discarded.body['messageIds'] as string[]).length, 3);
  assert.equal(await depthOf(jobRequestsDlq), 0);
  const kept = await messagesOf('/ops/quarantine?resolved=true');
  for (const letter of ['a', 'b', 'c']) assert.ok(kept.some(({ body }) => body === letter));
});

test('a dead letter stays where it is when its queue cannot be written to', async () => {
  const { jobRequestsDlq } = operations.pawl.runtime().queues;
  await send(jobRequestsDlq, 'stay');
  const source = jobRequestsDlq.replace('job-requests-dlq', 'no-such-queue');
  await assert.rejects(
    redriveDeadLetters(
      operations.sqs,
      { dlq: jobRequestsDlq, source },
      { messageIds: 'all', limit: 10, timeLimitMs: 5_000 },
    ),
  );
  const { Messages } = await operations.sqs.send(
    new ReceiveMessageCommand({ QueueUrl: jobRequestsDlq, WaitTimeSeconds: 2 }),
  );
  assert.deepEqual(
    Messages?.map(({ Body }) => Body),
    ['stay'],
  );
});

test('neither ids nor all, both, or no reason are refused', async () => {
  const bodies = [
    { queue: 'job-requests', reason: 'why' },
    { queue: 'job-requests', reason: 'why', all: true, messageIds: ['x'] },
    { queue: 'job-requests', all: true },
    { queue: 'job-requests', all: true, reason: ' ' },
  ];
  for (const json of bodies) {
    assert.equal((await operations.ops('POST', '/ops/dlq/redrive', json)).status, 400);
  }
});
