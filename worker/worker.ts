import { ListStateMachinesCommand, type SFNClient } from '@aws-sdk/client-sfn';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Logger } from 'pino';
import type { WorkerConfig } from '../jobs/config.ts';
import { type Disposition, dispatch } from '../jobs/dispatch/dispatch-message.ts';
import { createSharedStatements } from '../jobs/dispatch/shared-statements.ts';
import type { DispatchDeps } from '../jobs/dispatch/run-context.ts';
import { applyExecutionEvent } from '../jobs/execution-events.ts';
import type { FailedExecution } from '../jobs/execution-failure.ts';
import { readHistoryPage } from '../jobs/execution-history.ts';
import { createExecutions } from '../jobs/executions.ts';
import { readFailure } from '../jobs/read-failure.ts';
import { reconcile } from '../jobs/reconcile.ts';
import { createRelay, type Relay } from '../jobs/relay.ts';
import type { Sql } from '../jobs/store/connect.ts';
import { claimOutbox, sweepLeaseSeconds } from '../jobs/store/outbox.ts';
import type { Registry } from '../statemachines/registry.ts';
import { alertValuesLoop } from './alert-values.ts';
import { bulkLoop } from './bulk-loop.ts';
import { createCircuit } from './circuit.ts';
import { consumeQueue } from './consume-queue.ts';
import { startHeartbeat } from './heartbeat.ts';
import { createMessageStats } from './message-stats.ts';
import { viewJobRequests } from './queue-view.ts';
import { createReceivedGroups } from './received-groups.ts';
import { type Loop, repeat } from './repeat.ts';
import { createCompletions } from './tell-completions.ts';
import { createTokenBucket } from './token-bucket.ts';
import { traced } from './trace-messages.ts';
import { watchLoop } from './watch-loop.ts';
import type { WorkerMetrics } from './worker-metrics.ts';

export type WorkerDeps = {
  readonly config: WorkerConfig;
  readonly sql: Sql;
  readonly sqs: SQSClient;
  readonly sfn: SFNClient;
  readonly registry: Registry;
  readonly log: Logger;
  readonly metrics: WorkerMetrics;
  /** Of this process, by which operators tell workers apart. */
  readonly pid: number;
};

export type Worker = {
  start(): void;
  /** Takes no more, gives back what has not begun, finishes the rest within the grace period. */
  stop(): Promise<void>;
};

/** Where another consumer receives the job requests, and DISPATCH_CONCURRENCY is 0. */
const eventConcurrency = 10;
const sweepBatch = 100;
const sweepIntervalMs = 500;
/** AWS refills GetExecutionHistory at 20 calls a second. */
const historyReadsPerSecond = 10;
const historyPage = { maxResults: 1_000, includeExecutionData: false };

/** The loops that carry a job from the outbox to its execution, and its ending back. */
export function createWorker(deps: WorkerDeps): Worker {
  const { config, sql, sqs, sfn, metrics, log } = deps;
  const relay = createRelay({ sql, sqs, log, jobRequestsUrl: config.queues.jobRequestsUrl });
  const executions = createExecutions(sfn, config.stateMachineArnPrefix);
  const dispatchDeps = toDispatchDeps(deps, relay);

  const circuit = createCircuit({
    threshold: 5,
    probeIntervalMs: 1_000,
    probe: async () => {
      await Promise.all([sql`select 1`, sfn.send(new ListStateMachinesCommand({ maxResults: 1 }))]);
    },
    onOpen: () => pauseAll(),
    onClose: () => startAll(),
    log,
  });
  const onOutcome = (disposition: Disposition): void => {
    const code = disposition.kind === 'later' ? disposition.code : outage(disposition.outcome);
    if (code === undefined) circuit.succeeded();
    else circuit.failed(code);
  };
  const now = (): number => performance.now();
  const stats = {
    'job-requests': createMessageStats(now),
    'execution-events': createMessageStats(now),
  };
  const received = createReceivedGroups({ now });
  const requests = consumeQueue({
    sqs,
    log,
    onOutcome,
    received,
    queue: 'job-requests',
    queueUrl: config.queues.jobRequestsUrl,
    concurrency: config.dispatchConcurrency,
    handle: stats['job-requests'].measured(
      traced((message) => dispatch(dispatchDeps, message)),
      metrics.count,
    ),
  });
  const historyTokens = createTokenBucket(historyReadsPerSecond, () => performance.now());
  const failureOf = (arn: string, execution: FailedExecution) =>
    readFailure({ sfn, takeToken: () => historyTokens.take() }, arn, execution);
  const eventDeps = {
    sql,
    log,
    random: Math.random,
    failureOf,
    executions,
    shownOf: dispatchDeps.shownOf,
  };
  const events = consumeQueue({
    sqs,
    log,
    onOutcome,
    queue: 'execution-events',
    queueUrl: config.queues.executionEventsUrl,
    concurrency: config.dispatchConcurrency || eventConcurrency,
    handle: stats['execution-events'].measured(
      traced((message) => applyExecutionEvent(eventDeps, message)),
      metrics.count,
    ),
  });
  const startAll = (): void => [requests, events].forEach((consumer) => consumer.start());
  const pauseAll = (): void => [requests, events].forEach((consumer) => consumer.pause());

  const completions = createCompletions({
    sql,
    log,
    clock: () => new Date(),
    random: Math.random,
    allowPrivate: config.callbackAllowPrivate,
  });
  const loops = () => [
    repeat('relay sweep', sweepIntervalMs, () => sweep(sql, relay), log),
    repeat('completions', sweepIntervalMs, () => completions.turn(), log),
    repeat(
      'reconciler',
      config.reconcileIntervalMs,
      async () => {
        await reconcile({
          sql,
          executions,
          failureOf,
          log,
          publishSoon: (row) => relay.publishSoon(row),
          queueView: (anyPublished) =>
            viewJobRequests({ sqs, log, received, queues: config.queues }, anyPublished),
        });
      },
      log,
    ),
  ];
  const heartbeat = () =>
    startHeartbeat({
      sql,
      log,
      pid: deps.pid,
      isCircuitOpen: () => circuit.open,
      poolWait: metrics.poolWait,
      queues: stats,
    });
  let running: Pick<Loop, 'stop'>[] = [];
  return {
    start() {
      if (running.length > 0) return;
      running = [
        ...loops(),
        bulkLoop({
          sql,
          log,
          publishSoon: (row) => relay.publishSoon(row),
          knownTypes: [...deps.registry.keys()],
        }),
        watchLoop({
          sql,
          log,
          types: [...deps.registry.keys()],
          readEvents: async ({ type, executionName, executionArn }, order) => {
            await historyTokens.take();
            const arn = executionArn ?? executions.arnOf(type, executionName);
            const reverseOrder = order === 'newest-first';
            return (await readHistoryPage(sfn, arn, { ...historyPage, reverseOrder })).events;
          },
        }),
        heartbeat(),
        alertValuesLoop(deps.metrics.figures, log),
      ];
      startAll();
    },
    async stop() {
      const deadline = performance.now() + config.shutdownGraceMs;
      const stopping = [requests, events].map((consumer) => consumer.stop(config.shutdownGraceMs));
      await Promise.all([...stopping, circuit.stop(), ...running.map((loop) => loop.stop())]);
      await completions.settled(Math.max(0, deadline - performance.now()));
      await relay.drain();
    },
  };
}

function toDispatchDeps(
  { config, sql, sfn, registry, log }: WorkerDeps,
  relay: Relay,
): DispatchDeps {
  const startTokens = createTokenBucket(config.startsPerSecond, () => performance.now());
  return {
    sql,
    log,
    executions: createExecutions(sfn, config.stateMachineArnPrefix, config.stateMachineAlias),
    timeoutSecondsOf: (type) => registry.get(type)?.timeoutSeconds,
    ...createSharedStatements(sql),
    takeStartToken: () => startTokens.take(),
    publishSoon: (row) => relay.publishSoon(row),
    random: Math.random,
  };
}

/** Publishes what the API could not, or what was put off; `again` while full batches come. */
async function sweep(sql: Sql, relay: Relay): Promise<'again' | void> {
  const rows = await claimOutbox(sql, sweepBatch);
  for (const row of rows) relay.publishSoon(row, sweepLeaseSeconds);
  await relay.drain();
  return rows.length === sweepBatch ? 'again' : undefined;
}

/** A message that was put off because Step Functions fails counts for the circuit, though it is done with. */
const outage = (outcome: string): string | undefined =>
  outcome === 'postponed: AWS_UNAVAILABLE' ? 'AWS_UNAVAILABLE' : undefined;
