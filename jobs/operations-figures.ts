import type { SQSClient } from '@aws-sdk/client-sqs';
import type { QueueConfig } from './config.ts';
import type { PoolWait } from './pool-wait.ts';
import { type QueueDepth, type QueueName, readQueueDepths } from './queue-status.ts';
import type { Sql } from './store/connect.ts';
import { countInbox, type InboxCounts, oldestUnreceivedSeconds } from './store/inbox-counts.ts';
import { countHeldAnswers } from './store/held-answers.ts';
import { countHeldJobs } from './store/held-jobs.ts';
import { countQuarantined } from './store/list-quarantine.ts';
import {
  countOpenJobs,
  type EffectFigures,
  type OpenJobs,
  readEffectFigures,
} from './store/load-figures.ts';
import { type OutboxLag, outboxLag } from './store/outbox.ts';
import { countOwnerless } from './store/ownerless.ts';
import { readSlowTaskFigures, type SlowTaskFigures } from './store/watched-runs.ts';
import { findWorkers, goneAfterSeconds, type WorkerView } from './store/workers.ts';

export type FigureDeps = {
  readonly sql: Sql;
  readonly sqs: SQSClient;
  readonly queues: QueueConfig;
  readonly poolWait: PoolWait;
};

/** How all of Pawl does at one moment: what metrics, alert rules and the doctor go by. */
export type Figures = {
  readonly outbox: OutboxLag;
  readonly queues: readonly QueueDepth[];
  /** For how long the oldest message of job-requests has waited; null where there is none. */
  readonly jobRequestsOldestSeconds: number | null;
  /** For how long the messages of execution-events had waited that were received within the last minute, at most. */
  readonly executionEventsOldestSeconds: number | null;
  readonly deadLetters: number;
  readonly quarantined: number;
  /** Answers of providers that nothing will read. */
  readonly heldAnswers: number;
  readonly openJobs: OpenJobs;
  readonly ownerless: number;
  /** PENDING jobs whose message is not sent again until a person acts. */
  readonly heldJobs: number;
  /** Tasks that run longer than 99 of 100 did. */
  readonly slowTasks: SlowTaskFigures;
  readonly effects: EffectFigures;
  readonly inbox: InboxCounts;
  readonly workers: readonly WorkerView[];
  readonly poolWaitMs: number | null;
};

/** Reads them all; a handful of short statements and a call of SQS for each queue. */
export async function readFigures(deps: FigureDeps): Promise<Figures> {
  const { sql, sqs, queues, poolWait } = deps;
  await poolWait.sample();
  const [
    outbox,
    depths,
    oldest,
    quarantined,
    heldAnswers,
    openJobs,
    ownerless,
    slowTasks,
    heldJobs,
    effects,
    inbox,
    workers,
  ] = await Promise.all([
    outboxLag(sql),
    readQueueDepths(sqs, queues),
    oldestUnreceivedSeconds(sql),
    countQuarantined(sql),
    countHeldAnswers(sql),
    countOpenJobs(sql),
    countOwnerless(sql),
    readSlowTaskFigures(sql),
    countHeldJobs(sql),
    readEffectFigures(sql),
    countInbox(sql),
    findWorkers(sql),
  ]);
  return {
    outbox,
    queues: depths,
    jobRequestsOldestSeconds: oldest,
    executionEventsOldestSeconds: oldestReceived(workers, 'execution-events'),
    deadLetters: depths
      .filter(({ name }) => name.endsWith('-dlq'))
      .reduce((sum, { visible, inFlight }) => sum + visible + inFlight, 0),
    quarantined,
    heldAnswers,
    openJobs,
    ownerless,
    slowTasks,
    heldJobs,
    effects,
    inbox,
    workers,
    poolWaitMs: highest([poolWait.p99Ms(), ...alive(workers).map(({ state }) => state.poolWaitMs)]),
  };
}

export const alive = (workers: readonly WorkerView[]): readonly WorkerView[] =>
  workers.filter(({ silentSeconds }) => silentSeconds < goneAfterSeconds);

const oldestReceived = (workers: readonly WorkerView[], queue: QueueName): number | null =>
  highest(alive(workers).map(({ state }) => state.queues[queue]?.oldestSeconds ?? null));

const highest = (values: readonly (number | null)[]): number | null =>
  values.reduce(
    (most, value) => (value === null || (most !== null && most > value) ? most : value),
    null,
  );

/** Reads them at most every five seconds, whoever asks and how often; a failure is told to each who asks. */
export function createFigureReader(deps: FigureDeps, now: () => number): () => Promise<Figures> {
  let latest: { readonly figures: Promise<Figures>; readonly at: number } | undefined;
  return () => {
    if (latest === undefined || now() - latest.at > 5_000) {
      latest = { figures: readFigures(deps), at: now() };
    }
    return latest.figures;
  };
}
