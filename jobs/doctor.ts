import { type AlertName, isFiring, ruleOf } from './alert-rules.ts';
import { alive, type Figures } from './operations-figures.ts';
import type { DatabaseFigures, Hottest, Rates } from './store/load-figures.ts';

/** What the doctor looks at beyond the figures of the alerts. */
export type Examination = {
  readonly figures: Figures;
  readonly rates: Rates;
  readonly database: DatabaseFigures;
  readonly hottest: Hottest | undefined;
  readonly recentFailures: readonly { readonly code: string; readonly count: number }[];
  readonly tenantsAtQuota: readonly string[];
  readonly now: Date;
};

/** One question with its answer. `normal` is null where it could not be answered. */
export type Finding = {
  readonly id: string;
  readonly question: string;
  readonly normal: boolean | null;
  readonly answer: string;
  /** What to do where it is not normal; empty otherwise. */
  readonly action: string;
  /** Below docs/runbooks/. */
  readonly runbook: string;
};

type Question = Pick<Finding, 'id' | 'question' | 'action'> & {
  readonly runbook?: string;
  readonly ask: (examination: Examination) => {
    readonly normal: boolean | null;
    readonly answer: string;
  };
};

/** Statements are stopped at ten seconds; one that runs for half of that is in somebody's way. */
const longStatementSeconds = 5;
const redeliveredShare = 0.05;
const hotShare = 0.8;
/** Below so many open jobs no tenant is in anybody's way. */
const fewOpenJobs = 1_000;
const manyWaitingInKey = 1_000;
const recentDeployMinutes = 15;

/** The questions of docs/runbooks/backlog-grows.md, in its order: the first that is not normal is the one to act on. */
const backlogQuestions: readonly Question[] = [
  {
    id: 'rates',
    question: 'Is the arrival or the service rate abnormal?',
    action:
      'See which: more arrivals than usual need more workers, fewer endings than arrivals are explained below.',
    ask: ({ rates, figures }) => {
      const { acceptedPerSecond, acceptedPerSecondBefore, endedPerSecond } = rates;
      const behind = (figures.jobRequestsOldestSeconds ?? 0) > thresholdOf('JobRequestsBehind');
      const surge = acceptedPerSecondBefore > 0 && acceptedPerSecond > 3 * acceptedPerSecondBefore;
      return {
        normal: !(behind && (surge || endedPerSecond < 0.8 * acceptedPerSecond)),
        answer: `${perSecond(acceptedPerSecond)} accepted (the hour before: ${perSecond(acceptedPerSecondBefore)}), ${perSecond(endedPerSecond)} ended; ${figures.openJobs.PENDING} PENDING, ${figures.openJobs.RUNNING} RUNNING`,
      };
    },
  },
  {
    id: 'workers',
    question: 'Are the workers alive?',
    action: 'Start a worker, or see in its log why it ends.',
    ask: ({ figures: { workers } }) => {
      const living = alive(workers);
      const gone = workers.length - living.length;
      return {
        normal: living.length > 0,
        answer: `${living.length} alive${gone === 0 ? '' : `, ${gone} vanished within the last hour`}`,
      };
    },
  },
  {
    id: 'circuit',
    question: 'Is a circuit open?',
    action:
      'What fails is the database or Step Functions: mend it; the circuit closes by itself, and nothing was lost.',
    ask: ({ figures: { workers } }) => {
      const open = alive(workers).filter(({ state }) => state.circuitOpen).length;
      return { normal: open === 0, answer: open === 0 ? 'none' : `in ${open} workers` };
    },
  },
  {
    id: 'database',
    question: 'Is it the database, locks or the pool?',
    action: 'Find the statement and what it waits for; see database-slow.md.',
    runbook: 'database-slow.md',
    ask: ({ database, figures }) => {
      const { connections, maxConnections, waitingForLocks, longestSeconds } = database;
      const waitsLong = isFiring(ruleOf('PoolWait'), figures) === true;
      const full = connections > 0.9 * maxConnections;
      return {
        normal: !waitsLong && !full && waitingForLocks < 5 && longestSeconds < longStatementSeconds,
        answer: `pool wait ${milliseconds(figures.poolWaitMs)}, ${connections} of ${maxConnections} connections, ${waitingForLocks} waiting for locks, the longest statement runs for ${longestSeconds.toFixed(1)} s`,
      };
    },
  },
  {
    id: 'provider',
    question: 'Is a provider slow or limiting?',
    action:
      'See provider-down.md: jobs wait and fail as retryable; redrive them in bulk when it is back.',
    runbook: 'provider-down.md',
    ask: ({ figures: { effects }, recentFailures }) => {
      const failed = countOf(recentFailures, 'PROVIDER_UNAVAILABLE');
      const error = effects.lastError === null ? '' : `; the last error: ${effects.lastError}`;
      return {
        normal: effects.struggling === 0 && failed === 0,
        answer: `${effects.struggling} calls tried more than once, ${failed} jobs failed by it within 15 minutes${error}`,
      };
    },
  },
  {
    id: 'poison',
    question: 'Is there poison?',
    action: 'Read the messages and their reasons: pawl dlq list, pawl quarantine list.',
    runbook: 'dead-letters-and-quarantine.md',
    ask: ({ figures: { deadLetters, quarantined } }) => ({
      normal: deadLetters === 0 && quarantined === 0,
      answer: `${deadLetters} dead letters, ${quarantined} quarantined`,
    }),
  },
  {
    id: 'hot',
    question: 'Is one tenant or one ordering key hot?',
    action:
      'Other tenants are served between (fair queue); limit this one by max_open_jobs, or wait.',
    ask: ({ hottest }) => {
      if (hottest === undefined) return { normal: true, answer: 'there are no open jobs' };
      const { tenantId, share, tenants, open, orderingKey, waitingInKey } = hottest;
      const hotTenant = tenants > 1 && open > fewOpenJobs && share > hotShare;
      const key = orderingKey === null ? '' : `; ${waitingInKey} in ordering key ${orderingKey}`;
      return {
        normal: !hotTenant && waitingInKey < manyWaitingInKey,
        answer: `${tenantId} has ${Math.round(share * 100)} % of ${open} open jobs of ${tenants} tenants${key}`,
      };
    },
  },
  {
    id: 'retries',
    question: 'Are receive counts and retries up?',
    action:
      'Redelivery comes from consumers that die or from an outage: see the log of the worker for "message left in the queue".',
    ask: ({ figures: { workers, inbox } }) => {
      const queues = alive(workers).flatMap(({ state }) => Object.values(state.queues));
      const received = queues.reduce((sum, queue) => sum + queue.received, 0);
      const redelivered = queues.reduce((sum, queue) => sum + queue.redelivered, 0);
      return {
        normal:
          redelivered <= Math.max(5, received * redeliveredShare) && inbox.failedRetryable === 0,
        answer: `${redelivered} of ${received} messages of the last minute were received before; ${inbox.failedRetryable} postponed, ${inbox.duplicates} duplicates of ${inbox.lastHour} in the last hour`,
      };
    },
  },
  {
    id: 'quota',
    question: 'Is a quota reached?',
    action: 'Raise the tenant’s max_open_jobs, STARTS_PER_SECOND, or the quota of the AWS account.',
    ask: ({ tenantsAtQuota, recentFailures }) => {
      const refused =
        countOf(recentFailures, 'AWS_UNAVAILABLE') + countOf(recentFailures, 'ATTEMPTS_EXHAUSTED');
      const tenants = tenantsAtQuota.length === 0 ? 'no tenant' : tenantsAtQuota.join(', ');
      return {
        normal: tenantsAtQuota.length === 0 && refused === 0,
        answer: `${tenants} at its open-job quota; ${refused} jobs failed by AWS within 15 minutes`,
      };
    },
  },
  {
    id: 'deploy',
    question: 'What was deployed last?',
    action: 'If the trouble began with it, take it back.',
    ask: ({ figures: { workers }, recentFailures, now }) => {
      const newest = alive(workers).reduce(
        (time, { startedAt }) => Math.max(time, startedAt.getTime()),
        0,
      );
      if (newest === 0) return { normal: null, answer: 'no worker tells' };
      const minutes = (now.getTime() - newest) / 60_000;
      const faults =
        countOf(recentFailures, 'TASK_FAULT') + countOf(recentFailures, 'TASK_CRASHED');
      return {
        normal: !(minutes < recentDeployMinutes && faults > 0),
        answer: `the newest worker was started ${Math.round(minutes)} minutes ago; ${faults} jobs failed by bugs or crashes of tasks within 15 minutes`,
      };
    },
  },
];

/** No alert: one task in a hundred is over its p99, and well. */
const slowTasksAsked: Question = {
  id: 'slow-tasks',
  question: 'Do tasks take much longer than they use to?',
  action: 'GET /ops/stuck names them; what they wait for stands in GET /jobs/:jobId/execution.',
  runbook: 'stuck-jobs.md',
  ask: ({ figures: { slowTasks } }) => {
    const { overP99, farOver, worst } = slowTasks;
    const furthest =
      worst === null
        ? ''
        : `; the furthest: ${worst.type} in ${worst.state} for ${Math.round(worst.ageSeconds)} s (p99 ${round(worst.usualSeconds)} s)`;
    return {
      normal: farOver === 0,
      answer: `${overP99} over their p99, ${farOver} over twice of it${furthest}`,
    };
  },
};

/** The alerts that the questions above do not cover. */
const alertsAsked = [
  'OutboxLag',
  'JobRequestsBehind',
  'ExecutionEventsBehind',
  'HeldEffects',
  'HeldAnswers',
  'JobsWithoutOwner',
  'HeldJobs',
] as const satisfies readonly AlertName[];

/** Pure: every question with its answer. */
export function diagnose(examination: Examination): Finding[] {
  const questions = [...backlogQuestions, slowTasksAsked].map(
    ({ ask, runbook = 'backlog-grows.md', ...asked }) => finding(asked, runbook, ask(examination)),
  );
  const alerts = alertsAsked.map((name) => {
    const rule = ruleOf(name);
    const firing = isFiring(rule, examination.figures);
    const value = rule.read(examination.figures);
    const asked = {
      id: name,
      question: `${rule.summary}?`,
      action: `Follow docs/runbooks/${rule.runbook}.`,
    };
    return finding(asked, rule.runbook, {
      normal: firing === null ? null : !firing,
      answer: `${value === null ? 'not known' : round(value)} ${rule.unit} (above ${rule.above} is abnormal)`,
    });
  });
  return [...questions, ...alerts];
}

const finding = (
  asked: Pick<Finding, 'id' | 'question' | 'action'>,
  runbook: string,
  { normal, answer }: { readonly normal: boolean | null; readonly answer: string },
): Finding => ({ ...asked, runbook, normal, answer, action: normal === true ? '' : asked.action });

const thresholdOf = (name: AlertName): number => ruleOf(name).above;

const countOf = (
  failures: readonly { readonly code: string; readonly count: number }[],
  code: string,
): number => failures.find((failure) => failure.code === code)?.count ?? 0;

const perSecond = (value: number): string => `${round(value)}/s`;
const milliseconds = (value: number | null): string =>
  value === null ? 'not known' : `${Math.round(value)} ms`;
const round = (value: number): number => Math.round(value * 100) / 100;
