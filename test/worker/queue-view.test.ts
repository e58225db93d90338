import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SQSClient } from '@aws-sdk/client-sqs';
import { pino } from 'pino';
import { createReceivedGroups } from '../../worker/received-groups.ts';
import { viewJobRequests } from '../../worker/queue-view.ts';

test('while SQS is away no message counts as lost, and the reconciler goes on with what is no message', async () => {
  const url = 'http://127.0.0.1:1/queue';
  const sqs = new SQSClient({
    endpoint: 'http://127.0.0.1:1',
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  });
  const view = await viewJobRequests(
    {
      sqs,
      queues: { jobRequestsUrl: url, jobRequestsDlqUrl: url },
      received: createReceivedGroups({ now: () => 0 }),
      log: pino({ level: 'silent' }),
    },
    true,
  );
  assert.equal(view.empty, false);
  assert.equal(view.hasPassed('acme', new Date(0)), false);
});
