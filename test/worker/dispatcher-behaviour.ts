import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import { DescribeExecutionCommand, ListExecutionsCommand, SFNClient } from '@aws-sdk/client-sfn';
import { GetQueueAttributesCommand, SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { v7 } from 'uuid';
import { runSample, samplesOf } from '../../local/sample-jobs.ts';
import { type Operations, startOperations } from '../operations/start-operations.ts';
import { seedJob } from '../support/seed-job.ts';
import { waitFor } from '../support/wait-for.ts';
import { serve } from '../support/serve.ts';

/** One of the two that receive job requests. */
export type Adapter = {
  /** What Pawl is started with. */
  readonly env: Readonly<Record<string, string>>;
  /** Begins to receive, where the adapter is no process of Pawl's own. */
  readonly start: (operations: Operations) => void;
};

const machine = 'arn:aws:states:us-east-1:000000000000:stateMachine:pawl-gate';
const executionOf = (jobId: string): string =>
  `arn:aws:states:us-east-1:000000000000:execution:pawl-gate:${jobId}`;

/**
 * What the dispatcher promises, whoever receives its messages: the same list for the worker's loop and for the function
 * behind an SQS event source. Registers the tests of one file.
 */
export async function dispatcherTests(adapter: Adapter): Promise<void> {
  const provider = await startSlowProvider();
  const operations = await startOperations({ WEBHOOK_URL: provider.url, ...adapter.env });
  const { pawl, sql, sqs, ops, submitGate, closeGate, openGate, until } = operations;
  const { queues, endpoints, tenantId } = pawl.runtime();
  const sfn = new SFNClient({
    region: 'us-east-1',
    endpoint: endpoints.sfn,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  after(() => sfn.destroy());
  adapter.start(operations);

  const send = async (...bodies: readonly string[]): Promise<void> => {
    const Entries = bodies.map((MessageBody, index) => ({ Id: String(index), MessageBody }));
    const { Failed = [] } = await sqs.send(
      new SendMessageBatchCommand({ QueueUrl: queues.jobRequests, Entries }),
    );
    assert.deepEqual(Failed, []);
  };
  const countIn = async (QueueUrl: string): Promise<number> => {
    const { Attributes = {} } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
    );
    return (
      Number(Attributes['ApproximateNumberOfMessages']) +
      Number(Attributes['ApproximateNumberOfMessagesNotVisible']) +
      Number(Attributes['ApproximateNumberOfMessagesDelayed'])
    );
  };
  const allDone = async (timeoutMs = 30_000): Promise<void> => {
    await waitFor(
      async () => (await countIn(queues.jobRequests)) === 0,
      timeoutMs,
      'no message left',
    );
    assert.equal(await countIn(queues.jobRequestsDlq), 0);
  };
  const seeded = async (status: 'PENDING' | 'CANCELLED') =>
    await seedJob(sql, {
      type: 'gate',
      status,
      tenantId,
      input: { closedWhile: '/none' },
    });
  const reasonOf = async (body: string): Promise<unknown> => {
    const [row] = await sql`select code from quarantined_messages where body = ${body}`;
    return row?.['code'];
  };

  test('a job is started once, however often and at the same time its message comes', async () => {
    const { jobId, envelope } = await seeded('PENDING');
    const body = JSON.stringify(envelope);
    await send(body, body, body, body, body);
    await until(jobId, 'SUCCEEDED');
    await send(body);
    await allDone();
    const { executions = [] } = await sfn.send(
      new ListExecutionsCommand({ stateMachineArn: machine, maxResults: 1_000 }),
    );
    assert.equal(executions.filter(({ name }) => name === jobId).length, 1);
  });

  test('poison goes to quarantine with its reason; the others of its batch are done', async () => {
    const { jobId, envelope } = await seeded('PENDING');
    const poison = `{"no ${v7()}`;
    const { payload } = envelope;
    const unknown = JSON.stringify({
      ...envelope,
      messageId: v7(),
      idempotencyKey: 'start:nobody:1',
      payload: { ...payload, jobId: v7() },
    });
    await send(poison, JSON.stringify(envelope), unknown);
    await until(jobId, 'SUCCEEDED');
    await allDone();
    assert.equal(await reasonOf(poison), 'MESSAGE_MALFORMED');
    assert.equal(await reasonOf(unknown), 'JOB_UNKNOWN');
  });

  test('a job that was cancelled before its message came is not started', async () => {
    const { jobId, envelope } = await seeded('CANCELLED');
    await send(JSON.stringify(envelope));
    await allDone();
    await assert.rejects(
      sfn.send(new DescribeExecutionCommand({ executionArn: executionOf(jobId) })),
      { name: 'ExecutionDoesNotExist' },
    );
  });

  test('a failed job is redriven from the state that failed', async () => {
    closeGate();
    const jobId = await submitGate();
    await until(jobId, 'FAILED');
    openGate();
    const answer = await ops('POST', `/jobs/${jobId}/redrive`, { mode: 'resume', reason: 'open' });
    assert.equal(answer.status, 202, answer.text);
    await until(jobId, 'SUCCEEDED');
    const { redriveCount } = await sfn.send(
      new DescribeExecutionCommand({ executionArn: executionOf(jobId) }),
    );
    assert.equal(redriveCount, 1);
    await allDone();
  });

  test('a running job is stopped', async () => {
    provider.hold();
    try {
      const jobId = await submitGate();
      // Inside of its task: one that begins after the cancel would end the execution by itself.
      await waitFor(() => provider.held() > 0, 20_000, 'the provider to be called');
      const answer = await ops('POST', `/jobs/${jobId}/cancel`);
      assert.equal(answer.status, 202, answer.text);
      await waitFor(
        async () => {
          const { status } = await sfn.send(
            new DescribeExecutionCommand({ executionArn: executionOf(jobId) }),
          );
          return status === 'ABORTED';
        },
        20_000,
        'the execution to be stopped',
      );
      await until(jobId, 'CANCELLED');
    } finally {
      provider.release();
    }
    await allDone();
  });

  test('the answer of a provider reaches the state that waits for it', async () => {
    const sample = samplesOf(v7()).find(({ type }) => type === 'order-settlement');
    assert.ok(sample !== undefined);
    const { status, failure } = await runSample(pawl.runtime(), sample);
    assert.equal(status, 'SUCCEEDED', JSON.stringify(failure));
    await allDone();
  });

  test('while Step Functions dies and comes back nothing is lost and nothing dead; each job is started once', async () => {
    const jobs = await Promise.all([submitGate(), submitGate()]);
    const again = pawl.kill('engine');
    for (let index = 0; index < 6; index += 1) jobs.push(await submitGate());
    await again;
    for (const jobId of jobs) await until(jobId, 'SUCCEEDED', 120_000);
    await allDone(120_000);
    const { executions = [] } = await sfn.send(
      new ListExecutionsCommand({ stateMachineArn: machine, maxResults: 1_000 }),
    );
    for (const jobId of jobs)
      assert.equal(executions.filter(({ name }) => name === jobId).length, 1, jobId);
  });
}

/** The webhook's receiver: answers at once, or while it holds not before it is let go. */
async function startSlowProvider() {
  let held: (() => void)[] | undefined;
  const server = createServer((request, response) => {
    const answer = (): void => void response.writeHead(200).end('{}');
    request.resume().on('end', () => {
      if (held === undefined) answer();
      else held.push(answer);
    });
  });
  const address = await serve(server);
  return {
    url: `${address}/`,
    hold: () => void (held ??= []),
    held: () => held?.length ?? 0,
    release: () => {
      const waiting = held ?? [];
      held = undefined;
      for (const answer of waiting) answer();
    },
  };
}
