import type { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import type { SFNClient } from '@aws-sdk/client-sfn';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { EventArchive, QueueConfig } from '../jobs/config.ts';
import {
  createPoolWaitMetric,
  createProcessMetrics,
  createSystemMetrics,
} from '../jobs/metrics.ts';
import { createFigureReader, type Figures } from '../jobs/operations-figures.ts';
import { createPoolWait } from '../jobs/pool-wait.ts';
import type { Sql } from '../jobs/store/connect.ts';
import { createEndingReader } from '../jobs/store/job-endings.ts';

type Given = {
  readonly sfn: SFNClient;
  readonly sqs: SQSClient;
  readonly queues: QueueConfig;
  readonly eventBridge: EventBridgeClient;
  readonly eventArchive: EventArchive | undefined;
  readonly stateMachineArnPrefix: string;
};

/** What only the metrics and the routes for operators use (`routes/ops/`). */
export type OperationsDeps = Given & {
  /** How the whole system does; read at most every five seconds. */
  readonly figures: () => Promise<Figures>;
  /** The metrics of this process and of the whole system. */
  readonly register: Registry;
};

export function createOperations(
  given: Given,
  { sql, log }: { readonly sql: Sql; readonly log: Logger },
): OperationsDeps {
  const register = new Registry();
  const now = (): number => performance.now();
  const waits = createPoolWaitMetric(register);
  const poolWait = createPoolWait(sql, now, (ms) => waits.observe(ms / 1000));
  const figures = createFigureReader({ sql, sqs: given.sqs, queues: given.queues, poolWait }, now);
  createProcessMetrics(register);
  createSystemMetrics(register, {
    figures,
    endings: createEndingReader(sql),
    onError: (error) => log.warn({ err: error }, 'the figures of the system could not be read'),
  });
  return { ...given, figures, register };
}
