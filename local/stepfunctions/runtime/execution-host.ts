import { randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { StateMachine } from '../definition/ast.ts';
import type { Command, CommandResult } from '../execution/command.ts';
import { nextDeadline } from '../execution/deadlines.ts';
import { emptyView, fold } from '../execution/fold.ts';
import { isUnfinished, run } from '../execution/run-turn.ts';
import { take } from '../execution/take-command.ts';
import { createTurn, type Turn } from '../execution/turn.ts';
import type { ExecutionIdentity, ExecutionStatus, ExecutionView } from '../execution/view.ts';
import type { MapRunKeeper } from '../map-run/map-run-keeper.ts';
import { recordMapRuns } from '../map-run/record-map-runs.ts';
import type { Store } from '../store/store.ts';
import type { AttemptKeeper } from './attempt-keeper.ts';
import { createDeadlineAlarm } from './deadline-alarm.ts';
import { createIdleList } from './idle-list.ts';
import { recordOutcome } from './record-outcome.ts';

type Letter = {
  readonly command: Command;
  readonly answer: (result: CommandResult, view: ExecutionView) => void;
  /** More to write in the transaction of the turn, if the command was not refused. */
  readonly write?: (view: ExecutionView) => void;
};

/** An execution in memory: its view and what has come in for it. One turn at a time. */
type Actor = {
  readonly view: ExecutionView;
  readonly mailbox: Letter[];
  busy: boolean;
};

export type HostDependencies = {
  readonly store: Store;
  readonly clock: Clock;
  readonly region: string;
  readonly attempts: AttemptKeeper;
  readonly mapRuns: Pick<MapRunKeeper, 'reconcile' | 'childClosed'>;
  machineOf(revision: number, machineArn: string): StateMachine;
  identityOf(id: number): { identity: ExecutionIdentity; revision: number } | undefined;
  /** After the commit of every turn that ended an execution. */
  closed(view: ExecutionView): void;
  /** After a commit that put status-change events into the outbox; the status that the last of them tells. */
  outboxFilled(status: ExecutionStatus): void;
  emitsStatusEvents: boolean;
  report(error: unknown): void;
};

export type NewExecution = {
  readonly identity: ExecutionIdentity;
  readonly machine: StateMachine;
  readonly revision: number;
  readonly input: string;
  readonly traceHeader?: string;
  /** An Express child of a Map Run begins once more, under its id: what there was of it is forgotten. */
  readonly isAnew?: boolean;
  /** More to write in the transaction of the start. */
  readonly write?: () => void;
};

export type ExecutionHost = ReturnType<typeof createExecutionHost>;

/**
 * Runs executions: one mailbox each, one turn at a time, everything a turn appends in one log
 * entry, effects only after its commit. Executions with nothing under way are put out of memory
 * and folded from the log again when something comes for them.
 */
export function createExecutionHost(dependencies: HostDependencies) {
  const { store, clock, attempts, mapRuns } = dependencies;
  // Not a Map, whose table points to the one it was rehashed into, every few entries however few it has at a time (V8,
  // src/objects/ordered-hash-table.h, NextTable): one that has grown old keeps all later ones and the executions in
  // them until the next full collection, and every small one before that copies them.
  const actors: Record<number, Actor> = {};
  const deadlines = createDeadlineAlarm(clock, wakeInBatches);
  const idle = createIdleList((id) => void delete actors[id]);
  let stopped = false;
  let open = store.executions.countOpen();

  function load(id: number): Actor | undefined {
    const present = actors[id];
    if (present) return present;
    const known = dependencies.identityOf(id);
    if (!known) return undefined;
    const machine = dependencies.machineOf(known.revision, known.identity.machineArn);
    const view = fold(known.identity, machine, store.log.read(id));
    const actor: Actor = { view, mailbox: [], busy: false };
    actors[id] = actor;
    return actor;
  }

  function post(id: number, letter: Letter): boolean {
    if (stopped) return false;
    const actor = load(id);
    if (!actor) return false;
    idle.remove(id);
    actor.mailbox.push(letter);
    if (!actor.busy) takeTurn(actor);
    return true;
  }

  function takeTurn(actor: Actor): void {
    actor.busy = true;
    const letters = actor.mailbox.splice(0);
    const turn = createTurn(actor.view, {
      clock: () => clock.now(),
      random: Math.random,
      nonce: () => randomBytes(16).toString('base64url'),
      region: dependencies.region,
      activityExists: (arn) => store.activities.find(arn) !== undefined,
      report: (error) => dependencies.report(error),
    });
    const results = letters.map(({ command }) => take(turn, command));
    const pending = run(turn);
    if (pending) {
      pending
        .then(() => commit(actor, turn, letters, results))
        .catch((error: unknown) => dependencies.report(error));
    } else commit(actor, turn, letters, results);
  }

  function commit(actor: Actor, turn: Turn, letters: Letter[], results: CommandResult[]): void {
    const { view, records } = turn;
    const settle = (): void => {
      letters.forEach(({ answer }, index) => answer(results[index] ?? 'refused', view));
      settled(actor, turn);
    };
    if (records.length === 0) return settle();
    const { id } = view.identity;
    const body = JSON.stringify(records);
    store.commits.add(() => {
      letters.forEach(({ write }, index) => results[index] === 'done' && write?.(view));
      store.log.append(id, body);
      recordMapRuns(store, view, records);
      recordOutcome(store, view, records, dependencies.emitsStatusEvents);
    }, settle);
  }

  /** The turn is on disk: let its effects happen, then go on with what has come in meanwhile. */
  function settled(actor: Actor, turn: Turn): void {
    const { view } = actor;
    const { id } = view.identity;
    actor.busy = false;
    if (stopped) return;
    if (
      dependencies.emitsStatusEvents &&
      turn.records.some(({ type }) => type.startsWith('Execution'))
    ) {
      dependencies.outboxFilled(view.status);
    }
    if (isUnfinished(turn)) actor.mailbox.push(WAKE);
    const hasAttempts = attempts.reconcile(view);
    const busyOutside = mapRuns.reconcile(view) || hasAttempts;
    deadlines.set(id, nextDeadline(view));
    for (const { type } of turn.records) open += OPENS.has(type) ? 1 : CLOSES.has(type) ? -1 : 0;
    if (view.status !== 'RUNNING') {
      dependencies.closed(view);
      mapRuns.childClosed(view);
    }
    if (actor.mailbox.length > 0) return takeTurn(actor);
    if (view.status !== 'RUNNING') delete actors[id];
    else if (!busyOutside) idle.add(id);
  }

  /** However many are due, only so many are folded at a time, and others have their turn between. */
  function wakeInBatches(ids: readonly number[]): void {
    if (stopped) return;
    for (const id of ids.slice(0, WAKES_AT_ONCE)) post(id, WAKE);
    if (ids.length > WAKES_AT_ONCE) setImmediate(() => wakeInBatches(ids.slice(WAKES_AT_ONCE)));
  }

  return {
    /** Resolves when the execution's start is on disk. */
    start({
      identity,
      machine,
      revision,
      input,
      traceHeader,
      isAnew = false,
      write,
    }: NewExecution): Promise<ExecutionView> {
      const actor: Actor = { view: emptyView(identity, machine), mailbox: [], busy: false };
      actors[identity.id] = actor;
      return new Promise((resolve) => {
        post(identity.id, {
          command: { kind: 'start', input },
          write: (view) => {
            if (isAnew) {
              store.log.remove(identity.id);
              store.executions.restart(identity.id, view.startedAt);
            } else store.executions.insert(identity, revision, view.startedAt, traceHeader);
            write?.();
          },
          answer: (_result, view) => resolve(view),
        });
      });
    },
    /** Resolves when what the command did is on disk; 'refused' also for an unknown execution. */
    send(
      id: number,
      command: Command,
      write?: (view: ExecutionView) => void,
    ): Promise<CommandResult> {
      return new Promise((resolve) => {
        const letter = { command, answer: resolve, ...(write && { write }) };
        if (!post(id, letter)) resolve('refused');
      });
    },
    /** The view, if the execution is in memory just now. */
    peek: (id: number): ExecutionView | undefined => actors[id]?.view,
    /** The view as of now, folded from the log if need be; for reading only. */
    view(id: number): ExecutionView | undefined {
      const wasLoaded = actors[id] !== undefined;
      const actor = load(id);
      if (actor && !wasLoaded) idle.add(id);
      return actor?.view;
    },
    /** Takes up what was open when the engine last stopped. */
    resume(): void {
      wakeInBatches(store.executions.openIds());
    },
    countOpen: () => open,
    counts: () => ({ open, inMemory: Object.keys(actors).length, waiting: deadlines.size() }),
    /** No more turns; what is on disk stays as it is. */
    stop(): void {
      stopped = true;
      deadlines.stop();
    },
  };
}

const WAKES_AT_ONCE = 200;
const OPENS: ReadonlySet<string> = new Set(['ExecutionStarted', 'ExecutionRedriven']);
const CLOSES: ReadonlySet<string> = new Set([
  'ExecutionSucceeded',
  'ExecutionFailed',
  'ExecutionAborted',
  'ExecutionTimedOut',
]);
const WAKE: Letter = { command: { kind: 'wake' }, answer: () => undefined };
