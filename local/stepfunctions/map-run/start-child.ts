import { randomUUID } from 'node:crypto';
import { executionArn, expressArn } from '../arn.ts';
import { parseEntry } from '../execution/fold.ts';
import type { ExecutionIdentity, ExecutionView } from '../execution/view.ts';
import type { MapRunRow, PendingChild, StartedChild } from '../store/map-runs.ts';
import type { MapRunDependencies } from './run-map.ts';

export type NextChild = {
  readonly itemCount: number;
  readonly execution: number;
  readonly from: 'PENDING' | 'PENDING_REDRIVE';
  start(): Promise<unknown>;
};

const PAGE = 200;

/** The children that wait: first those to be redriven, then those never started, in their order. */
export function createChildStarter(
  { store, host, locality, ...dependencies }: MapRunDependencies,
  view: ExecutionView,
  row: MapRunRow,
) {
  const label = row.machineArn.split(':').at(-1) ?? '';
  const revision = store.executions.get(view.identity.id)?.revision ?? 0;
  const machine = dependencies.childMachine(revision, row.machineArn);
  let redriven: StartedChild[] = [];
  let pending: PendingChild[] = [];
  let lastRedriven = -1;
  let mayHaveRedriven = true;
  let lastPending = -1;

  function fill(): void {
    if (redriven.length > 0 || pending.length > 0) return;
    if (mayHaveRedriven) {
      redriven = store.mapRuns.withStatus(row.id, 'PENDING_REDRIVE', lastRedriven, PAGE);
      lastRedriven = redriven.at(-1)?.position ?? lastRedriven;
      // Looking for them means looking at every child, and no more of them come while it runs.
      mayHaveRedriven = redriven.length > 0;
      if (mayHaveRedriven) return;
    }
    pending = store.mapRuns.pending(row.id, lastPending, PAGE);
    lastPending = pending.at(-1)?.position ?? lastPending;
  }

  function identityOf(id: number, name: string, arn: string): ExecutionIdentity {
    return {
      id,
      arn,
      name,
      machineArn: row.machineArn,
      machineName: label,
      roleArn: view.identity.roleArn,
      mapRunArn: row.arn,
      express: row.express,
      ...(view.identity.testCase && { testCase: view.identity.testCase }),
    };
  }

  function startPending({ position, input, itemCount }: PendingChild): NextChild {
    const name = randomUUID();
    const arn = row.express
      ? expressArn(locality, label, name, randomUUID())
      : executionArn(locality, label, name);
    const identity = identityOf(store.executions.nextId(), name, arn);
    return {
      itemCount,
      execution: identity.id,
      from: 'PENDING',
      start: () =>
        host.start({
          identity,
          machine,
          revision,
          input,
          write: () => store.mapRuns.place(row.id, position, identity.id),
        }),
    };
  }

  /** A Standard child from its failed state, an Express child anew under the same ARN. */
  function redrive({ execution, itemCount }: StartedChild): NextChild {
    return {
      itemCount,
      execution,
      from: 'PENDING_REDRIVE',
      start: () => {
        if (!row.express) return host.send(execution, { kind: 'redrive' });
        const known = store.executions.get(execution);
        if (!known) throw new Error(`execution ${execution} of ${row.arn} is not there`);
        const [first] = parseEntry(store.log.readFirst(execution) ?? '[]');
        if (first?.type !== 'ExecutionStarted') throw new Error(`${known.arn} has no beginning`);
        return host.start({
          identity: identityOf(execution, known.name, known.arn),
          machine,
          revision,
          input: first.input,
          isAnew: true,
        });
      },
    };
  }

  return {
    next(): NextChild | undefined {
      fill();
      const again = redriven.shift();
      if (again) return redrive(again);
      const child = pending.shift();
      return child && startPending(child);
    },
    isLeft(): boolean {
      fill();
      return redriven.length > 0 || pending.length > 0;
    },
  };
}
