import type { Failure } from './record.ts';
import type { Json } from '../language/json.ts';

/** How an attempt of a Task ended, as its driver, worker or callback reports it. */
export type TaskOutcome =
  | { readonly kind: 'succeeded'; readonly output: Json }
  | { readonly kind: 'failed'; readonly failure: Failure }
  /** The service took the request of a `.sync` or `.waitForTaskToken` task. */
  | { readonly kind: 'submitted'; readonly output: Json };

/** How a Map Run ended: with its results, or where they were written to. */
export type MapRunOutcome =
  | { readonly kind: 'succeeded'; readonly output: Json }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** What can happen to an execution from outside. */
export type Command =
  | { readonly kind: 'start'; readonly input: string }
  /** A deadline has come, or the engine was started: go on with whatever can go on. */
  | { readonly kind: 'wake' }
  | {
      readonly kind: 'outcome';
      readonly threadId: number;
      readonly attemptId: number;
      readonly outcome: TaskOutcome;
    }
  | {
      readonly kind: 'activity-started';
      readonly threadId: number;
      readonly attemptId: number;
      readonly workerName?: string;
    }
  | { readonly kind: 'heartbeat'; readonly threadId: number; readonly attemptId: number }
  | {
      readonly kind: 'map-run-ended';
      readonly threadId: number;
      readonly mapRunArn: string;
      readonly outcome: MapRunOutcome;
    }
  | ({ readonly kind: 'stop' } & Failure)
  | { readonly kind: 'redrive' };

/** `refused`: the command came too late (the attempt or execution is over). */
export type CommandResult = 'done' | 'refused';
