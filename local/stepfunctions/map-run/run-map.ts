import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Locality } from '../arn.ts';
import type { Clock } from '../clock.ts';
import type { StateMachine } from '../definition/ast.ts';
import type { MapRunOutcome } from '../execution/command.ts';
import { dataLimitExceeded } from '../execution/data-limit.ts';
import { MAX_PAYLOAD_BYTES, parseText } from '../execution/json-text.ts';
import type { LiveMapRun } from '../execution/live-map-runs.ts';
import type { Failure } from '../execution/record.ts';
import { scopeOf } from '../execution/scope-of.ts';
import type { ExecutionView } from '../execution/view.ts';
import { resultWriting } from '../language/map-fields.ts';
import { StatesError } from '../language/states-error.ts';
import type { ExecutionHost } from '../runtime/execution-host.ts';
import type { MapRunLimits, MapRunRow } from '../store/map-runs.ts';
import type { Store } from '../store/store.ts';
import { childResults } from './child-results.ts';
import { createChildStarter } from './start-child.ts';
import { isToleranceExceeded, move, tallyOf, type Tally } from './failure-tolerance.ts';
import type { ObjectStore } from './object-store.ts';
import { spoolInputs } from './spool-inputs.ts';
import { collectResults, writeResults } from './write-results.ts';

/** AWS's hard limit, and what MaxConcurrency 0 means. */
const MAX_CONCURRENCY = 10_000;
/** So many children are started before others have their turn. */
const STARTS_AT_ONCE = 100;
/** https://docs.aws.amazon.com/step-functions/latest/dg/redrive-executions.html */
export const REDRIVABLE_PERIOD_MS = 14 * 24 * 60 * 60 * 1000;

export type MapRunDependencies = {
  readonly store: Store;
  readonly clock: Clock;
  readonly locality: Locality;
  readonly host: Pick<ExecutionHost, 'start' | 'send'>;
  readonly objects: ObjectStore;
  childMachine(revision: number, machineArn: string): StateMachine;
};

export type RunningMap = {
  /** A child of this run has ended; others are ignored. */
  childClosed(child: ExecutionView): void;
  setLimits(limits: MapRunLimits): void;
  tally(): Tally | undefined;
  /** The engine stops: nothing more is done, the children stay as they are. */
  halt(): void;
  /** Ends the children; resolves when none runs any more. */
  abort(): Promise<void>;
  /** Resolves with how the run ended; undefined if it was aborted. */
  readonly outcome: Promise<MapRunOutcome | undefined>;
};

/**
 * Carries out one Map Run: reads its items, keeps as many children running as it may, writes the
 * results. Everything it has to know after a restart is in the store; it may be begun again at any
 * moment, and starts no child twice: a child's start and its place in the run are one transaction.
 */
export function runMap(
  dependencies: MapRunDependencies,
  view: ExecutionView,
  live: LiveMapRun,
  row: MapRunRow,
): RunningMap {
  const { store, clock, host, objects } = dependencies;
  const aborting = new AbortController();
  const children = createChildStarter(dependencies, view, row);
  /** By the child's execution; a child is here from before its start until after its end. */
  const running = new Map<number, { items: number }>();
  let limits: MapRunLimits = row;
  let tally: Tally | undefined;
  let wake = (): void => undefined;
  let changed = false;

  function change(): void {
    changed = true;
    wake();
  }

  async function untilChanged(): Promise<void> {
    if (!changed) await new Promise<void>((resolve) => (wake = resolve));
    changed = false;
  }

  function takeStock(): Tally {
    for (let after = -1; ;) {
      const page = store.mapRuns.withStatus(row.id, 'RUNNING', after, 1000);
      for (const { execution, itemCount } of page) running.set(execution, { items: itemCount });
      after = page.at(-1)?.position ?? after;
      if (page.length < 1000) break;
    }
    return tallyOf(store.mapRuns.counts(row.id, clock.now() - REDRIVABLE_PERIOD_MS));
  }

  /** Starts what may be started; returns whether anything is left to start. */
  function startSome(stock: Tally): boolean {
    const limit = Math.min(limits.maxConcurrency || MAX_CONCURRENCY, MAX_CONCURRENCY);
    for (let started = 0; running.size < limit && started < STARTS_AT_ONCE; started++) {
      const next = children.next();
      if (!next) return false;
      running.set(next.execution, { items: next.itemCount });
      move(stock, next.from, 'RUNNING', next.itemCount);
      next.start().catch((error: unknown) => fail(error));
    }
    return children.isLeft();
  }

  let fail: (error: unknown) => void = () => undefined;
  const failed = new Promise<never>((_resolve, reject) => (fail = reject));
  // Nobody may be listening any more when it happens.
  failed.catch(() => undefined);

  async function runChildren(): Promise<Failure | undefined> {
    const stock = (tally = takeStock());
    for (;;) {
      if (aborting.signal.aborted) return undefined;
      if (isToleranceExceeded(stock, limits)) {
        await abortRunning();
        return {
          error: 'States.ExceedToleratedFailureThreshold',
          cause: 'The specified tolerated failure threshold was exceeded',
        };
      }
      const isMore = startSome(stock);
      if (!isMore && running.size === 0) return undefined;
      const limit = Math.min(limits.maxConcurrency || MAX_CONCURRENCY, MAX_CONCURRENCY);
      if (isMore && running.size < limit) await nextTurn();
      else await untilChanged();
    }
  }

  async function abortRunning(): Promise<void> {
    for (const execution of running.keys()) void host.send(execution, { kind: 'stop' });
    while (running.size > 0) await untilChanged();
  }

  async function finish(failure: Failure | undefined): Promise<MapRunOutcome> {
    const writing = await resultWriting(live.state, scopeOf(view, live.thread));
    if (writing?.resource !== undefined) {
      try {
        const results = childResults(store, row, true);
        const { output, written } = await writeResults(writing, row.arn, results, objects);
        store.commits.atomically(() => store.mapRuns.setResultsWritten(row.arn, written));
        if (!failure) return { kind: 'succeeded', output };
      } catch (error) {
        if (!failure)
          return { kind: 'failed', failure: failureFrom(error, 'States.ResultWriterFailed') };
      }
    }
    if (failure) return { kind: 'failed', failure };
    const withInput = writing?.writerConfig?.['Transformation'] === 'NONE';
    const results = childResults(store, row, withInput);
    const text = collectResults(writing, results, MAX_PAYLOAD_BYTES);
    if (text === undefined) {
      return { kind: 'failed', failure: dataLimitExceeded(live.state.name) };
    }
    const succeeded = tally?.byStatus.get('SUCCEEDED')?.executions ?? 0;
    store.commits.atomically(() => store.mapRuns.setResultsWritten(row.arn, succeeded));
    return { kind: 'succeeded', output: parseText(text) };
  }

  async function carryOut(): Promise<MapRunOutcome | undefined> {
    if (!row.itemsRead) {
      const scope = scopeOf(view, live.thread);
      try {
        await spoolInputs(store, row, live.state, scope, objects, aborting.signal);
      } catch (error) {
        return { kind: 'failed', failure: failureFrom(error, 'States.ItemReaderFailed') };
      }
    }
    const failure = await Promise.race([runChildren(), failed]);
    return aborting.signal.aborted ? undefined : finish(failure);
  }

  const outcome = carryOut();
  return {
    outcome,
    tally: () => tally,
    childClosed({ identity, status }) {
      const known = running.get(identity.id);
      if (!known) return;
      running.delete(identity.id);
      if (tally) move(tally, 'RUNNING', status, known.items);
      change();
    },
    setLimits(to) {
      limits = to;
      change();
    },
    halt() {
      aborting.abort();
      change();
    },
    async abort() {
      aborting.abort();
      change();
      await outcome.catch(() => undefined);
      await abortRunning();
    },
  };
}

/** Errors of the data flow keep their names; what S3 and the readers say is the cause. */
function failureFrom(error: unknown, name: string): Failure {
  if (error instanceof StatesError) return { error: error.error, cause: error.cause };
  return { error: name, cause: error instanceof Error ? error.message : String(error) };
}
