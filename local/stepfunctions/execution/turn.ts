import type { Json } from '../language/json.ts';
import { apply } from './apply.ts';
import type { Failure, LogRecord, RecordBody } from './record.ts';
import type { ExecutionView, Thread } from './view.ts';

/** AWS's hard limit; the last event may only be the one that ends the execution. */
export const MAX_HISTORY_EVENTS = 25_000;

export class HistoryLimitError extends Error {
  override readonly name = 'HistoryLimitError';
}

/** What a turn needs of the world, so that it is a function of its arguments. */
export type TurnDependencies = {
  /** Milliseconds since the epoch. */
  clock(): number;
  /** Uniform in [0, 1). */
  random(): number;
  /** 128 random bits, in URL-safe text. */
  nonce(): string;
  readonly region: string;
  /** Whether an activity is registered. */
  activityExists(arn: string): boolean;
  /** A defect of the engine: logged, never swallowed. */
  report(error: unknown): void;
};

/** What a turn does next. `fail` and `end` follow at once from what was just done. */
export type Task =
  | { readonly kind: 'step'; readonly thread: Thread }
  | {
      readonly kind: 'fail';
      readonly thread: Thread;
      readonly failure: Failure;
      readonly prev: number;
    }
  | { readonly kind: 'end'; readonly thread: Thread; readonly output: Json };

/**
 * One step of an execution's life: the commands that have come in, and all that follows from them,
 * appended to the log as one entry. Each record is applied to the view as it is emitted.
 */
export type Turn = TurnDependencies & {
  readonly view: ExecutionView;
  /** One reading for all that happens at once; taken anew after an evaluation that took its time. */
  now: number;
  readonly records: LogRecord[];
  /** To be done before anything else: the turn is never cut while there is something. */
  readonly urgent: Task[];
  /** Threads that may be able to act, first come first served. */
  readonly queue: Thread[];
  /** Returns the event's id (0 for an internal record). */
  emit(thread: Thread, body: RecordBody, options?: EmitOptions): number;
  /** Lets the thread act when its turn comes. */
  wake(thread: Thread): void;
  /** Lets the thread act next. */
  advance(thread: Thread): void;
  /** The state the thread is in has failed; `prev` is what led here, if not the thread's last event. */
  fail(thread: Thread, failure: Failure, prev?: number): void;
  /** The thread has come to its end. */
  end(thread: Thread, output: Json): void;
};

type EmitOptions = {
  /** The previous event, where it is not the thread's last one. */
  readonly prev?: number;
  /** The parsed input or output of the body. */
  readonly payload?: Json;
};

export function createTurn(view: ExecutionView, dependencies: TurnDependencies): Turn {
  const records: LogRecord[] = [];
  const queue: Thread[] = [];
  const urgent: Task[] = [];
  const turn: Turn = {
    ...dependencies,
    view,
    now: dependencies.clock(),
    records,
    urgent,
    queue,
    emit(thread, body, { prev = thread.lastEventId, payload } = {}) {
      const id = isInternal(body) ? 0 : view.lastEventId + 1;
      if (id >= MAX_HISTORY_EVENTS && !endsExecution(body)) {
        throw new HistoryLimitError(
          `${view.identity.arn} has reached ${MAX_HISTORY_EVENTS} events`,
        );
      }
      const record: LogRecord = { ...body, id, prev, at: turn.now, thread: thread.id };
      records.push(record);
      apply(view, record, thread, payload);
      return id;
    },
    wake: (thread) => void queue.push(thread),
    advance: (thread) => void urgent.push({ kind: 'step', thread }),
    fail: (thread, failure, prev = thread.lastEventId) =>
      void urgent.push({ kind: 'fail', thread, failure, prev }),
    end: (thread, output) => void urgent.push({ kind: 'end', thread, output }),
  };
  return turn;
}

function isInternal({ type }: RecordBody): boolean {
  return type === 'WaitStarted' || type === 'RetryScheduled' || type === 'Heartbeat';
}

function endsExecution({ type }: RecordBody): boolean {
  return (
    type === 'ExecutionSucceeded' ||
    type === 'ExecutionFailed' ||
    type === 'ExecutionAborted' ||
    type === 'ExecutionTimedOut' ||
    type === 'ExecutionRedriven'
  );
}
