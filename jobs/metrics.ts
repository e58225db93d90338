import { collectDefaultMetrics, Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { alive, type Figures } from './operations-figures.ts';
import type { Ending } from './store/job-endings.ts';

// Every metric of Pawl's own, by name. Labels have few values: job types are those that are deployed, codes the closed
// list of failure-codes.ts, routes their patterns. No ids, no tenants.
//
// The gauges tell of the whole system and say the same in every process: take the max over processes, not the sum.

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800];

/** What a worker does with messages; counted in the process that does it. */
export const createMessageMetrics = (register: Registry) => ({
  messages: new Counter({
    name: 'pawl_messages_total',
    help: 'Messages that were worked on; outcome "later" stays in the queue because something around it fails',
    labelNames: ['queue', 'outcome'],
    registers: [register],
  }),
  durationSeconds: new Histogram({
    name: 'pawl_message_duration_seconds',
    help: 'How long the work on a message took',
    labelNames: ['queue'],
    buckets: seconds,
    registers: [register],
  }),
  ageSeconds: new Histogram({
    name: 'pawl_message_age_seconds',
    help: 'How long a message had lain in its queue when it was received',
    labelNames: ['queue'],
    buckets: seconds,
    registers: [register],
  }),
  receives: new Counter({
    name: 'pawl_messages_redelivered_total',
    help: 'Messages that had been received before',
    labelNames: ['queue'],
    registers: [register],
  }),
});
export type MessageMetrics = ReturnType<typeof createMessageMetrics>;

/** How long a statement waits for a connection. */
export const createPoolWaitMetric = (register: Registry) =>
  new Histogram({
    name: 'pawl_pool_wait_seconds',
    help: 'How long the shortest statement takes, with its wait for a connection of the pool',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 10],
    registers: [register],
  });

/** Node's own metrics: event-loop delay, memory, garbage collection, handles. */
export const createProcessMetrics = (register: Registry): void =>
  collectDefaultMetrics({ register });

type Read = {
  readonly figures: () => Promise<Figures>;
  /** The endings of jobs since the last call. */
  readonly endings: () => Promise<readonly Ending[]>;
  /** Told when the database or SQS could not be asked: the scrape goes on without. */
  readonly onError: (error: unknown) => void;
};

/**
 * The state of the whole system, read when it is scraped. Every metric of it waits for the same reading: prom-client
 * asks all of them at once, and takes their values when each says that it is ready.
 */
export function createSystemMetrics(register: Registry, read: Read): void {
  let reading: Promise<void> | undefined;
  const collect = async (): Promise<void> => {
    reading ??= refresh().finally(() => (reading = undefined));
    await reading;
  };
  const refresh = async (): Promise<void> => {
    try {
      const [figures, endings] = await Promise.all([read.figures(), read.endings()]);
      showFigures(gauges, figures);
      for (const ending of endings) countEnding(jobs, ending);
      gauges.up.set(1);
    } catch (error) {
      gauges.up.set(0);
      read.onError(error);
    }
  };
  const shared: Shared = { registers: [register], collect };
  const gauges = createGauges(shared);
  const jobs = createJobMetrics(shared);
}

type Shared = { readonly registers: Registry[]; readonly collect: () => Promise<void> };

const gauge = (shared: Shared, name: string, help: string, labelNames: string[] = []) =>
  new Gauge({ name, help, labelNames, ...shared });

const createGauges = (shared: Shared) => ({
  up: gauge(
    shared,
    'pawl_figures_up',
    '1 where the database and SQS answered at this scrape; else the other gauges are old',
  ),
  outboxDue: gauge(shared, 'pawl_outbox_due_messages', 'Messages that are due and not sent'),
  outboxOldest: gauge(
    shared,
    'pawl_outbox_oldest_seconds',
    'For how long the oldest message has been due and not sent',
  ),
  queueMessages: gauge(
    shared,
    'pawl_queue_messages',
    'Messages in a queue, as SQS counts them: visible, in-flight, delayed',
    ['queue', 'state'],
  ),
  queueOldest: gauge(
    shared,
    'pawl_queue_oldest_seconds',
    'For how long the oldest message of a queue has waited; 0 where none does',
    ['queue'],
  ),
  deadLetters: gauge(shared, 'pawl_dead_letters', 'Messages in a dead-letter queue', ['queue']),
  quarantined: gauge(
    shared,
    'pawl_quarantined_messages',
    'Messages that are kept for a person to decide on',
  ),
  heldAnswers: gauge(
    shared,
    'pawl_held_answers',
    'Answers of providers that no job will read, kept for a person',
  ),
  openJobs: gauge(shared, 'pawl_open_jobs', 'Jobs that are not final', ['status']),
  ownerless: gauge(
    shared,
    'pawl_jobs_without_owner',
    'Jobs that nobody is known to look after; the reconciler takes them once a minute',
  ),
  heldJobs: gauge(
    shared,
    'pawl_held_jobs',
    'PENDING jobs whose message is not sent again until a person acts',
  ),
  slowTasks: gauge(
    shared,
    'pawl_tasks_over_p99',
    'Tasks that run longer than 99 of 100 passages through their state took, and than 30 s',
  ),
  effects: gauge(shared, 'pawl_effects', 'Effects that are not COMPLETED', ['status']),
  inbox: gauge(
    shared,
    'pawl_inbox_last_hour',
    'Messages of the last hour: received, duplicate, processing, failed-retryable, failed-terminal',
    ['kind'],
  ),
  workers: gauge(shared, 'pawl_workers', 'Worker processes: alive, circuit-open', ['state']),
});

const createJobMetrics = (shared: Shared) => ({
  ended: new Counter({
    name: 'pawl_jobs_ended_total',
    help: 'Jobs that have ended, each time they did; code is the failure’s, or none',
    labelNames: ['type', 'status', 'code'],
    ...shared,
  }),
  redriven: new Counter({
    name: 'pawl_jobs_redriven_total',
    help: 'Runs that were opened by a redrive',
    labelNames: ['type'],
    ...shared,
  }),
  durationSeconds: new Histogram({
    name: 'pawl_job_duration_seconds',
    help: 'From a job’s acceptance to its end',
    labelNames: ['type', 'status'],
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 14_400, 86_400],
    ...shared,
  }),
});

const effectStatuses = ['INTENDED', 'CALLING', 'UNKNOWN', 'REJECTED', 'ABANDONED'];

function showFigures(gauges: ReturnType<typeof createGauges>, figures: Figures): void {
  const { outbox, queues, openJobs, effects, inbox, workers } = figures;
  gauges.outboxDue.set(outbox.waiting);
  gauges.outboxOldest.set(outbox.oldestSeconds);
  for (const { name, visible, inFlight, delayed } of queues) {
    gauges.queueMessages.set({ queue: name, state: 'visible' }, visible);
    gauges.queueMessages.set({ queue: name, state: 'in-flight' }, inFlight);
    gauges.queueMessages.set({ queue: name, state: 'delayed' }, delayed);
    if (name.endsWith('-dlq')) gauges.deadLetters.set({ queue: name }, visible + inFlight);
  }
  const { jobRequestsOldestSeconds, executionEventsOldestSeconds } = figures;
  gauges.queueOldest.set({ queue: 'job-requests' }, jobRequestsOldestSeconds ?? 0);
  gauges.queueOldest.set({ queue: 'execution-events' }, executionEventsOldestSeconds ?? 0);
  gauges.quarantined.set(figures.quarantined);
  gauges.heldAnswers.set(figures.heldAnswers);
  for (const [status, count] of Object.entries(openJobs)) gauges.openJobs.set({ status }, count);
  gauges.ownerless.set(figures.ownerless);
  gauges.slowTasks.set(figures.slowTasks.overP99);
  gauges.heldJobs.set(figures.heldJobs);
  for (const status of effectStatuses) {
    gauges.effects.set({ status }, effects.byStatus[status] ?? 0);
  }
  gauges.inbox.set({ kind: 'received' }, inbox.lastHour);
  gauges.inbox.set({ kind: 'duplicate' }, inbox.duplicates);
  gauges.inbox.set({ kind: 'processing' }, inbox.processing);
  gauges.inbox.set({ kind: 'failed-retryable' }, inbox.failedRetryable);
  gauges.inbox.set({ kind: 'failed-terminal' }, inbox.failedTerminal);
  const living = alive(workers);
  gauges.workers.set({ state: 'alive' }, living.length);
  const open = living.filter(({ state }) => state.circuitOpen).length;
  gauges.workers.set({ state: 'circuit-open' }, open);
}

function countEnding(
  { ended, redriven, durationSeconds }: ReturnType<typeof createJobMetrics>,
  { kind, type, status, code, count, averageSeconds }: Ending,
): void {
  if (kind === 'redriven') {
    redriven.inc({ type }, count);
    return;
  }
  ended.inc({ type, status, code }, count);
  for (let index = 0; index < count; index += 1) {
    durationSeconds.observe({ type, status }, averageSeconds);
  }
}
