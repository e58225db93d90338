import { type HistoryEvent, textOf } from './event.ts';

export type AttemptOutcome = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';

/** One try of a task: scheduled, started where Step Functions tells that, ended. Epoch milliseconds. */
export type Attempt = {
  readonly scheduledAt: number;
  /** The execution had failed and was redriven since the attempt before. */
  readonly isRedriven: boolean;
  startedAt: number | undefined;
  /** The task was handed over and waits for its token or its job. */
  submittedAt: number | undefined;
  endedAt: number | undefined;
  outcome: AttemptOutcome;
  error: string | undefined;
  cause: string | undefined;
  /** What the task was given, where it is not the state's input. */
  readonly parameters: string | undefined;
  output: string | undefined;
};

export type VisitStatus = 'RUNNING' | 'RETRYING' | 'SUCCEEDED' | 'CAUGHT' | 'FAILED' | 'ABORTED';

/** One passage through a state: an iteration of a Map and a lap of a loop are passages of their own. */
export type Visit = {
  /** Of the event that entered it. */
  readonly id: number;
  readonly state: string;
  /** Task, Pass, Choice, Wait, Succeed, Fail, Parallel or Map. */
  readonly type: string;
  /** The Parallel or Map it stands in. */
  readonly parent: Visit | undefined;
  readonly enteredAt: number;
  exitedAt: number | undefined;
  readonly input: string | undefined;
  output: string | undefined;
  status: VisitStatus;
  error: string | undefined;
  cause: string | undefined;
  /** Of the last ExecutionRedriven before what was last tried; 0: none. */
  redrivenId: number;
  readonly attempts: Attempt[];
  /** Of a distributed Map, whose children are executions of their own. */
  mapRunArn: string | undefined;
};

export type Visits = {
  /** In the order in which they were entered. */
  readonly list: readonly Visit[];
  /** The passage an event belongs to, by the event's id; what stands before the first state has none. */
  readonly ofEvent: ReadonlyMap<number, Visit>;
};

const entered = /^(\w+)StateEntered$/;
const attemptOutcomes: readonly (readonly [RegExp, AttemptOutcome])[] = [
  [/^(Task|LambdaFunction|Activity)Succeeded$/, 'SUCCEEDED'],
  [/^(Task|LambdaFunction|Activity)TimedOut$/, 'TIMED_OUT'],
  [/^(Task|LambdaFunction|Activity)(Failed|ScheduleFailed|StartFailed|SubmitFailed)$/, 'FAILED'],
];
const setback = /^(Parallel|Map)State(Failed|Aborted)$|^EvaluationFailed$|^MapRunFailed$/;

/**
 * Pure: what the events say about each passage. They may begin in the middle of the history; `isOver`: the execution
 * has ended, so that what is still open was cut off.
 */
export function readVisits(events: readonly HistoryEvent[], isOver: boolean): Visits {
  const list: Visit[] = [];
  const ofEvent = new Map<number, Visit>();
  let redrivenId = 0;
  for (const event of events) {
    if (event.type === 'ExecutionRedriven') redrivenId = event.id;
    const visit = takeIn(event, ofEvent, list, redrivenId);
    if (visit !== undefined) ofEvent.set(event.id, visit);
  }
  if (isOver) for (const visit of list) cutOff(visit);
  return { list, ofEvent };
}

function takeIn(
  event: HistoryEvent,
  ofEvent: ReadonlyMap<number, Visit>,
  list: Visit[],
  redrivenId: number,
): Visit | undefined {
  const before = ofEvent.get(event.previousId);
  const type = entered.exec(event.type)?.[1];
  if (type !== undefined) {
    const visit = newVisit(event, type, parentOf(before));
    list.push(visit);
    return visit;
  }
  const visit = visitNamed(event, before);
  if (visit !== undefined) apply(event, visit, redrivenId);
  return visit;
}

/** What follows a closed passage stands beside it, what follows an open Parallel or Map stands in it. */
const parentOf = (before: Visit | undefined): Visit | undefined =>
  before?.exitedAt === undefined && /^(Map|Parallel)$/.test(before?.type ?? '')
    ? before
    : before?.parent;

/** The passage an event is about: the one before it, or a Map or Parallel around that. */
function visitNamed(event: HistoryEvent, before: Visit | undefined): Visit | undefined {
  const name = textOf(event, 'name');
  const container = /^(Map|Parallel)/.exec(event.type)?.[1];
  if (name === undefined && container === undefined) return before;
  for (let visit = before; visit !== undefined; visit = visit.parent) {
    const fits = name === undefined ? visit.type === container : visit.state === name;
    if (fits) return visit;
  }
  return before;
}

function apply(event: HistoryEvent, visit: Visit, redrivenId: number): void {
  const { type, at } = event;
  const attempt = visit.attempts.at(-1);
  const ended = attemptOutcomes.find(([pattern]) => pattern.test(type))?.[1];
  if (type.endsWith('StateExited')) {
    visit.exitedAt = at;
    visit.output = textOf(event, 'output');
    visit.status = visit.status === 'RETRYING' ? 'CAUGHT' : 'SUCCEEDED';
  } else if (/^(Task|LambdaFunction|Activity)Scheduled$/.test(type)) {
    visit.attempts.push(newAttempt(event, attempt !== undefined && redrivenId > visit.redrivenId));
    visit.redrivenId = redrivenId;
    visit.status = 'RUNNING';
  } else if (/^(Task|LambdaFunction|Activity)Started$/.test(type) && attempt) {
    attempt.startedAt = at;
  } else if (type === 'TaskSubmitted' && attempt) {
    attempt.submittedAt = at;
  } else if (ended !== undefined && attempt) {
    Object.assign(attempt, { endedAt: at, outcome: ended, ...errorOf(event) });
    attempt.output = textOf(event, 'output');
    if (ended !== 'SUCCEEDED') Object.assign(visit, { status: 'RETRYING', ...errorOf(event) });
  } else if (setback.test(type)) {
    Object.assign(visit, { status: 'RETRYING', ...errorOf(event) });
  } else if (type === 'MapRunStarted' || type === 'MapRunRedriven') {
    visit.mapRunArn = textOf(event, 'mapRunArn');
    visit.status = 'RUNNING';
  } else if (type === 'MapStateStarted' || type === 'ParallelStateStarted') {
    visit.status = 'RUNNING';
  }
}

const errorOf = (event: HistoryEvent) => ({
  error: textOf(event, 'error'),
  cause: textOf(event, 'cause'),
});

/** What was open when the execution ended: the one that failed, or one that was stopped with it. */
function cutOff(visit: Visit): void {
  if (visit.exitedAt !== undefined) return;
  const failed = visit.status === 'RETRYING' || visit.type === 'Fail';
  visit.status = failed ? 'FAILED' : 'ABORTED';
  const attempt = visit.attempts.at(-1);
  if (attempt?.outcome === 'RUNNING') attempt.outcome = 'ABORTED';
}

const newAttempt = (event: HistoryEvent, isRedriven: boolean): Attempt => ({
  scheduledAt: event.at,
  parameters: textOf(event, 'parameters') ?? textOf(event, 'input'),
  isRedriven,
  startedAt: undefined,
  submittedAt: undefined,
  endedAt: undefined,
  outcome: 'RUNNING',
  error: undefined,
  cause: undefined,
  output: undefined,
});

const newVisit = (event: HistoryEvent, type: string, parent: Visit | undefined): Visit => ({
  id: event.id,
  state: textOf(event, 'name') ?? '?',
  type,
  parent,
  enteredAt: event.at,
  exitedAt: undefined,
  input: textOf(event, 'input'),
  output: undefined,
  status: 'RUNNING',
  error: undefined,
  cause: undefined,
  redrivenId: 0,
  attempts: [],
  mapRunArn: undefined,
});

const worstFirst: readonly VisitStatus[] = [
  'FAILED',
  'ABORTED',
  'RETRYING',
  'RUNNING',
  'CAUGHT',
  'SUCCEEDED',
];

/** How a state stands with all its passages: what failed shows before what runs, what runs before what is done. */
export const worstOf = (visits: readonly Visit[]): VisitStatus | 'NOT_ENTERED' =>
  worstFirst.find((status) => visits.some((visit) => visit.status === status)) ?? 'NOT_ENTERED';
