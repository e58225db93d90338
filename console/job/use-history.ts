import { useEffect, useMemo, useRef, useState } from 'react';
import {
  type Answer,
  type OperationName,
  type CallInput,
  type CallResult,
  Refused,
} from '../api/call.ts';
import { useSession } from '../api/session.tsx';
import { type HistoryEvent, readEvent } from '../history/event.ts';
import { readVisits, type Visits } from '../history/visits.ts';

export type History = {
  /** Oldest first, without gaps up to the newest. */
  readonly events: readonly HistoryEvent[];
  /** How many there are in all, as far as is known. */
  readonly total: number;
  /** Older ones are still being loaded. */
  readonly isLoading: boolean;
  readonly executionStatus: string | undefined;
  readonly visits: Visits;
  readonly error: unknown;
};

type Loaded = Pick<History, 'events' | 'isLoading' | 'executionStatus' | 'error'>;
const nothing: Loaded = {
  events: [],
  isLoading: true,
  executionStatus: undefined,
  error: undefined,
};

const pageSize = 1_000;
/** What fills the table, so that it stands there at once. */
const firstPageSize = 100;
/** Of what was added since the last look. */
const livePageSize = 200;
const liveMs = 1_500;
/** Pages that are shown together: each showing costs a pass over all events. */
const pagesAtOnce = 4;

type Page = Answer<'getHistory'>;

/** The newest events, asked for as soon as the page is opened: beside the job, not behind it. */
export type NewestEvents = Promise<Page | undefined>;

export function useNewestEvents(jobId: string, isWanted: boolean): NewestEvents | undefined {
  const { call } = useSession();
  return useMemo(() => {
    if (!isWanted) return undefined;
    const query = { limit: firstPageSize, newestFirst: true };
    return call('getHistory', { path: { jobId }, query }).then(
      ({ body }) => body,
      // What is wrong is told when it is asked again.
      () => undefined,
    );
  }, [call, jobId, isWanted]);
}

/**
 * The history of a job's execution: the newest page at once, the older ones behind it, and what is added while it
 * runs. `version` changes whenever the job does; a restart has another execution and begins anew.
 */
export function useHistory(
  jobId: string,
  executionName: string,
  version: string,
  isOpen: boolean,
  newest: NewestEvents | undefined,
): History {
  const { call } = useSession();
  const [state, setState] = useState<Loaded>(nothing);
  const known = useRef<{ of: string; events: HistoryEvent[] }>({ of: '', events: [] });

  useEffect(() => {
    const abort = new AbortController();
    if (known.current.of !== executionName) {
      known.current = { of: executionName, events: [] };
      setState(nothing);
    }
    const show = (changes: Partial<Loaded>): void =>
      setState((before) => ({ ...before, ...changes }));
    const from = known.current;
    void (async () => {
      if (from.events.length === 0) takeIn(await newest, executionName, from, show);
      await follow(call, jobId, abort.signal, from, isOpen, show);
    })();
    return () => abort.abort();
  }, [call, jobId, executionName, version, isOpen, newest]);

  const { events, executionStatus } = state;
  const isOver =
    executionStatus !== undefined && !/^(RUNNING|PENDING_REDRIVE)$/.test(executionStatus);
  const visits = useMemo(() => readVisits(events, isOver), [events, isOver]);
  return { ...state, total: events.at(-1)?.id ?? 0, visits };
}

/** Shows the page that was asked for first; where it is all there is, it is what is known. */
function takeIn(
  page: Page | undefined,
  executionName: string,
  known: { events: HistoryEvent[] },
  show: (changes: Partial<Loaded>) => void,
): void {
  // The job was restarted in between, or there is no execution yet.
  if (page?.executionName !== executionName || known.events.length > 0) return;
  const events = page.events.map(readEvent).toReversed();
  if (page.nextToken === null) known.events = events;
  show({ events, executionStatus: page.executionStatus, isLoading: page.nextToken !== null });
}

type Call = <Name extends OperationName>(
  name: Name,
  input?: CallInput,
) => Promise<CallResult<Name>>;

async function follow(
  call: Call,
  jobId: string,
  signal: AbortSignal,
  known: { events: HistoryEvent[] },
  isOpen: boolean,
  show: (changes: Partial<Loaded>) => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const executionStatus = await catchUp(call, jobId, signal, known, show);
      if (signal.aborted) return;
      show({ isLoading: false, error: undefined });
      if (!isOpen && executionStatus !== 'RUNNING') return;
    } catch (error) {
      if (signal.aborted) return;
      const isNotThereYet = error instanceof Refused && error.status === 404;
      show({ isLoading: false, error: isNotThereYet ? undefined : error });
      if (isNotThereYet && !isOpen) return;
    }
    await new Promise((resolve) => window.setTimeout(resolve, liveMs));
  }
}

/** Loads backwards from the newest event to the first, or to what is known already. */
async function catchUp(
  call: Call,
  jobId: string,
  signal: AbortSignal,
  known: { events: HistoryEvent[] },
  show: (changes: Partial<Loaded>) => void,
): Promise<string> {
  const before = known.events;
  const newestKnown = before.at(-1)?.id ?? 0;
  const isComplete = newestKnown > 0 && before[0]?.id === 1;
  const floor = isComplete ? newestKnown : 0;
  let fresh: HistoryEvent[] = [];
  let nextToken: string | undefined;
  let status = 'UNKNOWN';
  // A token is good for the very arguments it was given for.
  const limit = isComplete ? livePageSize : pageSize;
  for (let page = 1; ; page += 1) {
    const query = { limit, newestFirst: true, ...(nextToken === undefined ? {} : { nextToken }) };
    const { body } = await call('getHistory', { path: { jobId }, query, signal });
    status = body.executionStatus;
    const events = body.events.map(readEvent).toReversed();
    fresh = [...events.filter(({ id }) => id > floor), ...fresh];
    nextToken = body.nextToken ?? undefined;
    const isDone = nextToken === undefined || (events[0]?.id ?? 0) <= floor + 1;
    if (isDone || page === 1 || page % pagesAtOnce === 0) {
      const all = floor === 0 ? fresh : [...before, ...fresh];
      const isGapless = floor === 0 || isDone;
      if (isGapless && (fresh.length > 0 || page === 1)) {
        if (isDone) known.events = all;
        show({
          executionStatus: status,
          ...(fresh.length > 0 ? { events: all } : {}),
          isLoading: !isDone,
        });
      }
    }
    if (isDone) return status;
  }
}
