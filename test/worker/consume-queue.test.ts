import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { SQSClient } from '@aws-sdk/client-sqs';
import { pino } from 'pino';
import type { Disposition } from '../../jobs/dispatch/dispatch-message.ts';
import { consumeQueue } from '../../worker/consume-queue.ts';
import { waitFor } from '../support/wait-for.ts';
import { account, startQueues } from './queues.ts';

const queues = await startQueues();
const log = pino({ level: 'silent' });
const done: Disposition = { kind: 'done', outcome: 'done' };

type Handle = (body: string) => Promise<Disposition>;
const consume = (url: string, concurrency: number, handle: Handle, sqs = queues.sqs) =>
  consumeQueue({
    sqs,
    log,
    concurrency,
    queueUrl: url,
    queue: 'job-requests',
    handle: (message) => handle(message.body),
  });

/** A client that tells of each poll that is opened (1) and ends (-1). */
function countingPolls(tell: (change: 1 | -1) => void): SQSClient {
  const sqs = new SQSClient({
    ...account,
    endpoint: queues.endpoint,
    useQueueUrlAsEndpoint: false,
  });
  sqs.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (commandName !== 'ReceiveMessageCommand') return await next(args);
        tell(1);
        return await next(args).finally(() => tell(-1));
      },
    { step: 'initialize' },
  );
  return sqs;
}

const bodies = (count: number): string[] => Array.from({ length: count }, (_, index) => `${index}`);

test('stopped, it takes no more, finishes what it has in hand and leaves the rest to others', async () => {
  const { url } = await queues.create('stopping');
  const release = Promise.withResolvers<void>();
  const begun: string[] = [];
  const consumer = consume(url, 3, async (body) => {
    begun.push(body);
    await release.promise;
    return done;
  });
  await queues.send(url, bodies(12));
  consumer.start();
  await waitFor(() => begun.length === 3, 10_000);
  const stopped = consumer.stop(5_000);
  release.resolve();
  await stopped;
  assert.equal(begun.length, 3);
  assert.deepEqual(await queues.counts(url), { visible: 9, inHand: 0 });
});

test('what does not end within the grace period is given up, and comes back by itself', async () => {
  const { url } = await queues.create('overdue');
  const release = Promise.withResolvers<Disposition>();
  const consumer = consume(url, 1, () => release.promise);
  await queues.send(url, bodies(1));
  consumer.start();
  await waitFor(async () => (await queues.counts(url)).inHand === 1, 10_000);
  const startedAt = performance.now();
  await consumer.stop(300);
  assert.ok(performance.now() - startedAt < 8_000);
  assert.deepEqual(await queues.counts(url), { visible: 0, inHand: 1 });
  release.resolve(done);
});

test('stopped while it is paused with a message in hand, it ends all the same', async () => {
  const { url } = await queues.create('paused');
  const release = Promise.withResolvers<Disposition>();
  const consumer = consume(url, 1, () => release.promise);
  await queues.send(url, bodies(1));
  consumer.start();
  await waitFor(async () => (await queues.counts(url)).inHand === 1, 10_000);
  consumer.pause();
  await delay(4_500); // longer than it waits for the poll to end
  const startedAt = performance.now();
  await consumer.stop(500);
  assert.ok(performance.now() - startedAt < 6_000);
  release.resolve(done);
});

test('one slow message holds up no more than the batch it came in', async () => {
  const { url } = await queues.create('slow');
  const release = Promise.withResolvers<void>();
  const begun = new Set<string>();
  const consumer = consume(url, 20, async (body) => {
    begun.add(body);
    if (body === '0') await release.promise;
    return done;
  });
  await queues.send(url, bodies(60));
  consumer.start();
  await waitFor(() => begun.size === 60, 20_000);
  await waitFor(async () => (await queues.counts(url)).inHand === 1, 10_000);
  release.resolve();
  await waitFor(async () => (await queues.counts(url)).inHand === 0, 10_000);
  await consumer.stop(1_000);
});

test('a message to come later is given back for that time, and costs no handler more', async () => {
  const { url } = await queues.create('later');
  let calls = 0;
  const consumer = consume(url, 5, async () => {
    calls += 1;
    return await Promise.resolve(calls === 1 ? { kind: 'later', seconds: 1 } : done);
  });
  await queues.send(url, bodies(1));
  const startedAt = performance.now();
  consumer.start();
  await waitFor(() => calls === 2, 10_000);
  assert.ok(performance.now() - startedAt > 900);
  await consumer.stop(1_000);
});

test('what its open polls still bring while it is paused costs one receive, however many they are', async () => {
  const { url } = await queues.create('brought');
  const receives: number[] = [];
  let open = 0;
  const sqs = countingPolls((change) => (open += change));
  const consumer = consumeQueue({
    sqs,
    log,
    concurrency: 40,
    queueUrl: url,
    queue: 'job-requests',
    handle: async ({ receiveCount }) => {
      receives.push(receiveCount);
      return await Promise.resolve(done);
    },
  });
  consumer.start();
  await waitFor(() => open === 4, 5_000);
  consumer.pause();
  await queues.send(url, bodies(1));
  await waitFor(() => open === 0, 10_000);
  consumer.start();
  await waitFor(() => receives.length === 1, 10_000);
  assert.deepEqual(receives, [2]);
  await consumer.stop(1_000);
});

test('paused and started again while a poll is open, it polls no more often than before', async () => {
  const { url } = await queues.create('flapping');
  let open = 0;
  let most = 0;
  const counted = countingPolls((change) => {
    open += change;
    most = Math.max(most, open);
  });
  const consumer = consume(url, 10, () => Promise.resolve(done), counted);
  consumer.start();
  await waitFor(() => open === 1, 5_000);
  for (let flip = 0; flip < 5; flip += 1) {
    consumer.pause();
    consumer.start();
    await delay(150); // the circuit's probes come no faster
  }
  await queues.send(url, bodies(3));
  await waitFor(async () => {
    const { visible, inHand } = await queues.counts(url);
    return visible + inHand === 0;
  }, 10_000);
  assert.equal(most, 1);
  await consumer.stop(1_000);
});
