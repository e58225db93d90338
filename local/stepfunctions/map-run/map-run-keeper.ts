import type { MapRunOutcome } from '../execution/command.ts';
import { liveMapRuns, type LiveMapRun } from '../execution/live-map-runs.ts';
import type { ExecutionView } from '../execution/view.ts';
import type { ExecutionHost } from '../runtime/execution-host.ts';
import type { MapRunLimits, MapRunRow } from '../store/map-runs.ts';
import type { Tally } from './failure-tolerance.ts';
import {
  REDRIVABLE_PERIOD_MS,
  runMap,
  type MapRunDependencies,
  type RunningMap,
} from './run-map.ts';

type KeeperDependencies = Omit<MapRunDependencies, 'host'> & {
  host(): Pick<ExecutionHost, 'start' | 'send' | 'view'>;
  report(error: unknown): void;
};

export type MapRunKeeper = ReturnType<typeof createMapRunKeeper>;

/**
 * Keeps the Map Runs under way that executions wait for, and ends those that nobody waits for any
 * more: after every turn, and after a restart alike.
 */
export function createMapRunKeeper(dependencies: KeeperDependencies) {
  const { store, clock } = dependencies;
  const report = (error: unknown): void => dependencies.report(error);
  /** By ARN. A run that is being aborted stays until its last child has ended. */
  const underWay = new Map<string, { run: RunningMap; isAborting: boolean }>();
  let stopped = false;
  /** The ARNs of an execution's runs under way. */
  const byExecution = new Map<number, Set<string>>();

  function begin(view: ExecutionView, live: LiveMapRun): void {
    const { arn, redriveCount } = live.run;
    const found = store.mapRuns.find(arn);
    if (!found) throw new Error(`${arn} is in the log of ${view.identity.arn} and nowhere else`);
    const row = found.redriveCount < redriveCount ? redrive(arn, redriveCount) : found;
    const run = runMap({ ...dependencies, host: dependencies.host() }, view, live, row);
    underWay.set(arn, { run, isAborting: false });
    const ofExecution = byExecution.get(view.identity.id) ?? new Set();
    byExecution.set(view.identity.id, ofExecution.add(arn));
    run.outcome.then(
      (outcome) => outcome && end(view, live, outcome),
      (error: unknown) => {
        if (stopped) return;
        report(error);
        const cause = error instanceof Error ? error.message : String(error);
        end(view, live, { kind: 'failed', failure: { error: 'States.Runtime', cause } });
      },
    );
  }

  function redrive(arn: string, redriveCount: number): MapRunRow {
    const now = clock.now();
    store.commits.atomically(() =>
      store.mapRuns.redrive(arn, redriveCount, now, now - REDRIVABLE_PERIOD_MS),
    );
    const row = store.mapRuns.find(arn);
    if (!row) throw new Error(`${arn} has vanished`);
    return row;
  }

  function end(view: ExecutionView, { thread, run }: LiveMapRun, outcome: MapRunOutcome): void {
    void dependencies.host().send(view.identity.id, {
      kind: 'map-run-ended',
      threadId: thread.id,
      mapRunArn: run.arn,
      outcome,
    });
  }

  function forget(execution: number, arn: string): void {
    underWay.delete(arn);
    const ofExecution = byExecution.get(execution);
    ofExecution?.delete(arn);
    if (ofExecution?.size === 0) byExecution.delete(execution);
  }

  async function abort(execution: number, arn: string, run: RunningMap): Promise<void> {
    await run.abort();
    store.commits.atomically(() => endIfOpen(arn));
    forget(execution, arn);
    // It may have been redriven meanwhile.
    void dependencies.host().send(execution, { kind: 'wake' });
  }

  function endIfOpen(arn: string): void {
    if (store.mapRuns.find(arn)?.status === 'RUNNING') {
      store.mapRuns.end(arn, 'ABORTED', clock.now());
    }
  }

  async function abortChildren(row: MapRunRow): Promise<void> {
    for (;;) {
      const children = store.mapRuns.withStatus(row.id, 'RUNNING', -1, 1_000);
      if (children.length === 0) break;
      await Promise.all(
        children.map(({ execution }) => dependencies.host().send(execution, { kind: 'stop' })),
      );
    }
    store.commits.atomically(() => endIfOpen(row.arn));
  }

  return {
    /** Returns whether a Map Run is under way for the execution. */
    reconcile(view: ExecutionView): boolean {
      if (stopped) return false;
      const { id } = view.identity;
      const present = byExecution.get(id);
      const live = liveMapRuns(view);
      if (live.length === 0 && !present) return false;
      const needed = new Set(live.map(({ run }) => run.arn));
      for (const arn of present ?? []) {
        const known = underWay.get(arn);
        if (!known || known.isAborting || needed.has(arn)) continue;
        if (store.mapRuns.find(arn)?.status !== 'RUNNING') {
          forget(id, arn);
          continue;
        }
        known.isAborting = true;
        abort(id, arn, known.run).catch(report);
      }
      for (const each of live) if (!underWay.has(each.run.arn)) begin(view, each);
      return byExecution.has(id);
    },
    childClosed(child: ExecutionView): void {
      const { mapRunArn } = child.identity;
      if (mapRunArn !== undefined) underWay.get(mapRunArn)?.run.childClosed(child);
    },
    setLimits: (arn: string, limits: MapRunLimits): void =>
      underWay.get(arn)?.run.setLimits(limits),
    /** Of a run under way, once its items are read. */
    tally: (arn: string): Tally | undefined => underWay.get(arn)?.run.tally(),
    stop(): void {
      stopped = true;
      for (const { run } of underWay.values()) run.halt();
    },
    /** Ends what was being aborted when the engine last stopped. */
    resume(): void {
      for (const row of store.mapRuns.open()) {
        const parent = dependencies.host().view(row.execution);
        const isLive = parent && liveMapRuns(parent).some(({ run }) => run.arn === row.arn);
        if (!isLive) abortChildren(row).catch(report);
      }
    },
  };
}
