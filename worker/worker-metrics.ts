import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { QueueConfig } from '../jobs/config.ts';
import type { Disposition } from '../jobs/dispatch/dispatch-message.ts';
import {
  createMessageMetrics,
  createPoolWaitMetric,
  createProcessMetrics,
  createSystemMetrics,
} from '../jobs/metrics.ts';
import { createFigureReader, type Figures } from '../jobs/operations-figures.ts';
import { createPoolWait, type PoolWait } from '../jobs/pool-wait.ts';
import type { Sql } from '../jobs/store/connect.ts';
import { createEndingReader } from '../jobs/store/job-endings.ts';
import type { ReceivedMessage } from '../jobs/store/quarantine.ts';
import { ageOf } from './message-stats.ts';

export type WorkerMetrics = {
  readonly register: Registry;
  readonly poolWait: PoolWait;
  /** Read at most every five seconds, whoever asks. */
  readonly figures: () => Promise<Figures>;
  /** Counts a message that was worked on. */
  readonly count: (message: ReceivedMessage, disposition: Disposition, ms: number) => void;
};

type Deps = {
  readonly sql: Sql;
  readonly sqs: SQSClient;
  readonly queues: QueueConfig;
  readonly log: Logger;
};

/** The metrics of this worker and of the whole system; names and labels stand in jobs/metrics.ts. */
export function createWorkerMetrics({ sql, sqs, queues, log }: Deps): WorkerMetrics {
  const register = new Registry();
  const now = (): number => performance.now();
  const waits = createPoolWaitMetric(register);
  const poolWait = createPoolWait(sql, now, (ms) => waits.observe(ms / 1000));
  const metrics = createMessageMetrics(register);
  createProcessMetrics(register);
  const figures = createFigureReader({ sql, sqs, queues, poolWait }, now);
  createSystemMetrics(register, {
    figures,
    endings: createEndingReader(sql),
    onError: (error) => log.warn({ err: error }, 'the figures of the system could not be read'),
  });
  return {
    register,
    poolWait,
    figures,
    count(message, { kind }, ms) {
      const { queue } = message;
      metrics.messages.inc({ queue, outcome: kind });
      metrics.durationSeconds.observe({ queue }, ms / 1000);
      const age = ageOf(message);
      if (age !== null) metrics.ageSeconds.observe({ queue }, age);
      if (message.receiveCount > 1) metrics.receives.inc({ queue });
    },
  };
}
