import type { HistoryEvent } from '@aws-sdk/client-sfn';

/** One passage through a state: an iteration of a Map and a lap of a loop are passages of their own. */
export type StateVisit = {
  readonly state: string;
  /** As the event names it: Task, Pass, Choice, Wait, Succeed, Fail, Parallel, Map. */
  readonly type: string;
  readonly status: VisitStatus;
  readonly enteredAt: Date;
  readonly exitedAt: Date | null;
  /** How often its task was scheduled; 0 for what has no task. */
  readonly attempts: number;
  /** Under which redrive it was worked on last. */
  readonly redriveCount: number;
  readonly error: string | null;
  readonly cause: string | null;
};

/** CAUGHT: it failed, and a catcher took it from there. RETRYING: it failed and is to be tried again. */
export type VisitStatus = 'RUNNING' | 'RETRYING' | 'SUCCEEDED' | 'CAUGHT' | 'FAILED' | 'ABORTED';

/** Step Functions' status of the execution that the history belongs to. */
export type ExecutionEnd = string;

type Visit = { -readonly [Member in keyof StateVisit]: StateVisit[Member] };

const entered = /^(\w+)StateEntered$/;
const exited = /StateExited$/;
const attempt = /^(TaskScheduled|LambdaFunctionScheduled|ActivityScheduled)$/;
const setback = /^(?!Execution|MapIteration|MapRun)\w*(Failed|TimedOut)$/;

/**
 * The passages of an execution, in the order in which they began, from its history (oldest event first). An event
 * belongs to the passage that its chain of `previousEventId` leads back to. A passage with an entry and no exit is
 * what RedriveExecution runs again
 * (https://docs.aws.amazon.com/step-functions/latest/dg/redrive-map-run.html).
 */
export function stateVisits(events: readonly HistoryEvent[], end: ExecutionEnd): StateVisit[] {
  const byId = new Map(events.map((event) => [event.id, event]));
  const visits = new Map<number | undefined, Visit>();
  let redriveCount = 0;

  const visitOf = (event: HistoryEvent, state?: string): Visit | undefined => {
    let at: HistoryEvent | undefined = event;
    while (at !== undefined) {
      const visit = visits.get(at.id);
      if (visit !== undefined && (state === undefined || visit.state === state)) return visit;
      at = byId.get(at.previousEventId);
    }
    return undefined;
  };
  for (const event of events) {
    const type = event.type ?? '';
    if (type === 'ExecutionRedriven') {
      redriveCount = event.executionRedrivenEventDetails?.redriveCount ?? redriveCount + 1;
    } else if (entered.test(type)) {
      visits.set(event.id, newVisit(event, redriveCount));
    } else if (exited.test(type)) {
      const visit = visitOf(event, event.stateExitedEventDetails?.name);
      if (visit === undefined) continue;
      visit.exitedAt = event.timestamp ?? null;
      visit.status = visit.status === 'RETRYING' ? 'CAUGHT' : 'SUCCEEDED';
    } else if (attempt.test(type)) {
      const visit = visitOf(event);
      if (visit === undefined) continue;
      Object.assign(visit, { status: 'RUNNING', attempts: visit.attempts + 1, redriveCount });
    } else if (setback.test(type)) {
      const visit = visitOf(event);
      if (visit === undefined) continue;
      Object.assign(visit, { status: 'RETRYING', ...errorOf(event) });
    }
  }
  return [...visits.values()].map((visit) => ({ ...visit, status: statusOf(visit, end) }));
}

const newVisit = (event: HistoryEvent, redriveCount: number): Visit => ({
  state: event.stateEnteredEventDetails?.name ?? '',
  type: entered.exec(event.type ?? '')?.[1] ?? '',
  status: 'RUNNING',
  enteredAt: event.timestamp ?? new Date(0),
  exitedAt: null,
  attempts: 0,
  redriveCount,
  error: null,
  cause: null,
});

function statusOf(visit: Visit, end: ExecutionEnd): VisitStatus {
  if (visit.exitedAt !== null || end === 'RUNNING' || end === 'PENDING_REDRIVE')
    return visit.status;
  return visit.status === 'RETRYING' || visit.type === 'Fail' ? 'FAILED' : 'ABORTED';
}

/** The error of any …Failed or …TimedOut event; each type has its details under a name of its own. */
function errorOf(event: HistoryEvent): { error: string | null; cause: string | null } {
  const details = Object.values(event).find(
    (value): value is { error?: string; cause?: string } =>
      typeof value === 'object' && value !== null && ('error' in value || 'cause' in value),
  );
  return { error: details?.error ?? null, cause: details?.cause ?? null };
}
