import type { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Logger } from 'pino';
import type { EventsConfig, QueueConfig } from '../jobs/config.ts';
import { type EventHandler, handleEvent } from '../jobs/events/handle-event.ts';
import { notifications } from '../jobs/events/notifications.ts';
import { publishEvents } from '../jobs/events/publish-events.ts';
import { searchProjection } from '../jobs/events/search-projection.ts';
import type { Sql } from '../jobs/store/connect.ts';
import { consumeQueue, type QueueConsumer } from './consume-queue.ts';
import { type Loop, repeat } from './repeat.ts';
import { traced } from './trace-messages.ts';

export type EventWorkDeps = {
  readonly config: EventsConfig;
  readonly queues: QueueConfig;
  readonly sql: Sql;
  readonly sqs: SQSClient;
  readonly eventBridge: EventBridgeClient;
  readonly log: Logger;
};

const publishIntervalMs = 500;
const concurrency = 10;

/** Publishes events and runs the built-in subscribers whose queues are configured; `stop` gives back what has not begun. */
export function startEventWork(deps: EventWorkDeps): {
  stop(graceMs: number): Promise<void>;
} {
  const { sql, eventBridge, log } = deps;
  const { busName, email } = deps.config;
  const { searchProjectionUrl, notificationsUrl } = deps.queues;
  const publishing: Loop = repeat(
    'events',
    publishIntervalMs,
    () => publishEvents({ sql, eventBridge, busName, log, random: Math.random }),
    log,
  );
  const consumers: QueueConsumer[] = [];
  if (searchProjectionUrl !== undefined) {
    consumers.push(
      subscribe(deps, 'search-projection', searchProjectionUrl, searchProjection(sql)),
    );
  }
  if (notificationsUrl !== undefined && email !== undefined) {
    const handler = notifications(sql, email);
    consumers.push(subscribe(deps, 'notifications', notificationsUrl, handler));
  }
  for (const consumer of consumers) consumer.start();
  return {
    async stop(graceMs) {
      await Promise.all([
        publishing.stop(),
        ...consumers.map((consumer) => consumer.stop(graceMs)),
      ]);
    },
  };
}

const subscribe = (
  { sql, sqs, log }: EventWorkDeps,
  queue: 'search-projection' | 'notifications',
  queueUrl: string,
  handler: EventHandler,
): QueueConsumer =>
  consumeQueue({
    sqs,
    log,
    queue,
    queueUrl,
    concurrency,
    handle: traced((message) => handleEvent({ sql, log, random: Math.random }, handler, message)),
  });
