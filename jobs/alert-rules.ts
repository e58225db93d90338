import { alive, type Figures } from './operations-figures.ts';

/** One thing that a person is told of: the same threshold in Prometheus, CloudWatch, the doctor and the console. */
export type AlertRule = {
  /** As the alert is called: CamelCase. */
  readonly name: string;
  readonly summary: string;
  /** `page`: somebody is woken. `ticket`: it can wait until the morning. */
  readonly severity: 'page' | 'ticket';
  /** It fires where the value is above this … */
  readonly above: number;
  readonly unit:
    | 'seconds'
    | 'milliseconds'
    | 'messages'
    | 'jobs'
    | 'effects'
    | 'answers'
    | 'workers';
  /** … for this long. */
  readonly forSeconds: number;
  /** The value in Prometheus' language, by the names of metrics.ts. */
  readonly promql: string;
  /** The value now; null where it is not known. */
  readonly read: (figures: Figures) => number | null;
  /** A file of docs/runbooks/. */
  readonly runbook: string;
};

/**
 * Every alert. What is above its threshold wakes somebody, so each says something that a person has to do, and its
 * runbook says what.
 */
export const alertRules = [
  {
    name: 'OutboxLag',
    summary: 'Messages are committed and not sent to SQS',
    severity: 'page',
    above: 30,
    unit: 'seconds',
    forSeconds: 60,
    promql: 'max(pawl_outbox_oldest_seconds)',
    read: ({ outbox }) => outbox.oldestSeconds,
    runbook: 'outbox-lag.md',
  },
  {
    name: 'JobRequestsBehind',
    summary: 'Job requests wait long before a worker takes them',
    severity: 'page',
    above: 60,
    unit: 'seconds',
    forSeconds: 120,
    promql: 'max(pawl_queue_oldest_seconds{queue="job-requests"})',
    read: ({ jobRequestsOldestSeconds }) => jobRequestsOldestSeconds ?? 0,
    runbook: 'backlog-grows.md',
  },
  {
    name: 'ExecutionEventsBehind',
    summary: 'Ended executions are noticed late: FAILED jobs still show as RUNNING',
    severity: 'page',
    above: 60,
    unit: 'seconds',
    forSeconds: 120,
    promql: 'max(pawl_queue_oldest_seconds{queue="execution-events"})',
    read: ({ executionEventsOldestSeconds }) => executionEventsOldestSeconds ?? 0,
    runbook: 'backlog-grows.md',
  },
  {
    name: 'NoWorker',
    summary: 'No worker is alive: nothing is started and no ending is noticed',
    severity: 'page',
    above: 0,
    unit: 'workers',
    forSeconds: 60,
    promql: 'max(pawl_workers{state="alive"} == bool 0)',
    read: ({ workers }) => (alive(workers).length === 0 ? 1 : 0),
    runbook: 'backlog-grows.md',
  },
  {
    name: 'CircuitOpen',
    summary: 'Workers have stopped receiving, because the database or Step Functions fails',
    severity: 'page',
    above: 0,
    unit: 'workers',
    forSeconds: 60,
    promql: 'max(pawl_workers{state="circuit-open"})',
    read: ({ workers }) => alive(workers).filter(({ state }) => state.circuitOpen).length,
    runbook: 'backlog-grows.md',
  },
  {
    name: 'DeadLetters',
    summary: 'Messages whose consumers died lie in a dead-letter queue',
    severity: 'ticket',
    above: 0,
    unit: 'messages',
    forSeconds: 60,
    promql: 'max(sum without (queue) (pawl_dead_letters))',
    read: ({ deadLetters }) => deadLetters,
    runbook: 'dead-letters-and-quarantine.md',
  },
  {
    name: 'Quarantine',
    summary: 'Messages that nobody can work on are kept for a person',
    severity: 'ticket',
    above: 0,
    unit: 'messages',
    forSeconds: 60,
    promql: 'max(pawl_quarantined_messages)',
    read: ({ quarantined }) => quarantined,
    runbook: 'dead-letters-and-quarantine.md',
  },
  {
    name: 'HeldAnswers',
    summary:
      'A provider answered a job that does not wait any more: money may have come in for nothing',
    severity: 'ticket',
    above: 0,
    unit: 'answers',
    forSeconds: 60,
    promql: 'max(pawl_held_answers)',
    read: ({ heldAnswers }) => heldAnswers,
    runbook: 'held-answers.md',
  },
  {
    name: 'HeldEffects',
    summary: 'Whether a provider did something is not known; the jobs wait for a person',
    severity: 'page',
    above: 0,
    unit: 'effects',
    forSeconds: 60,
    promql: 'max(pawl_effects{status="UNKNOWN"})',
    read: ({ effects }) => effects.byStatus['UNKNOWN'] ?? 0,
    runbook: 'held-effects.md',
  },
  {
    name: 'JobsWithoutOwner',
    summary: 'Nobody is known to look after some open jobs, and the reconciler does not take them',
    severity: 'page',
    above: 0,
    unit: 'jobs',
    forSeconds: 180,
    promql: 'max(pawl_jobs_without_owner)',
    read: ({ ownerless }) => ownerless,
    runbook: 'stuck-jobs.md',
  },
  {
    name: 'HeldJobs',
    summary: 'The messages of some PENDING jobs are not sent again until a person acts',
    severity: 'ticket',
    above: 0,
    unit: 'jobs',
    forSeconds: 60,
    promql: 'max(pawl_held_jobs)',
    read: ({ heldJobs }) => heldJobs,
    runbook: 'stuck-jobs.md',
  },
  {
    name: 'PoolWait',
    summary: 'Statements wait for a connection, or the database is slow to answer the shortest one',
    severity: 'ticket',
    above: 100,
    unit: 'milliseconds',
    forSeconds: 300,
    promql:
      '1000 * histogram_quantile(0.99, sum by (le) (rate(pawl_pool_wait_seconds_bucket[5m])))',
    read: ({ poolWaitMs }) => poolWaitMs,
    runbook: 'database-slow.md',
  },
] as const satisfies readonly AlertRule[];

export type AlertName = (typeof alertRules)[number]['name'];

export const ruleOf = (name: AlertName): AlertRule => {
  const rule = alertRules.find((candidate) => candidate.name === name);
  if (rule === undefined) throw new Error(`there is no alert rule ${name}`);
  return rule;
};

/** Pure: whether the value is above the threshold; null where it is not known. */
export function isFiring(rule: AlertRule, figures: Figures): boolean | null {
  const value = rule.read(figures);
  return value === null ? null : value > rule.above;
}
