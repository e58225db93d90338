import type { Json, JsonObject } from '../language/json.ts';

/** What a failed state, branch or execution reports; either may be missing (a Fail state without them). */
export type Failure = {
  readonly error?: string;
  readonly cause?: string;
  /** A second name by which Retry and Catch may take it. */
  readonly alias?: string;
};

export type StateType =
  | 'Pass'
  | 'Task'
  | 'Choice'
  | 'Wait'
  | 'Succeed'
  | 'Fail'
  | 'Parallel'
  | 'Map';

/**
 * The three families of events a Task writes: `Task…` for `arn:aws:states:::…`, `LambdaFunction…`
 * for a plain function ARN, `Activity…` for an activity ARN.
 */
export type TaskFamily = 'Task' | 'LambdaFunction' | 'Activity';

/**
 * What a record says, by type. The types named after AWS's history event types are visible in
 * GetExecutionHistory; the last group (WaitStarted, RetryScheduled, Heartbeat) is internal.
 * `input`, `output`, `parameters` are JSON texts, as AWS shows them.
 */
export type RecordBody =
  | { type: 'ExecutionStarted'; input: string }
  | { type: 'ExecutionSucceeded'; output: string }
  | ({ type: 'ExecutionFailed' | 'ExecutionAborted' | 'ExecutionTimedOut' } & Failure)
  | { type: 'ExecutionRedriven'; redriveCount: number }
  | { type: `${StateType}StateEntered`; name: string; input: string }
  | {
      type: `${StateType}StateExited`;
      name: string;
      output: string;
      /** Variables and their new values. */
      assigned?: JsonObject;
      /** The state to enter; absent: the branch or execution ends here. */
      next?: string;
    }
  | { type: 'TaskStateAborted' | 'WaitStateAborted' | 'ParallelStateAborted' | 'MapStateAborted' }
  | ({ type: 'EvaluationFailed'; location?: string; state: string } & Failure)
  | ({
      type: 'TaskScheduled';
      resourceType: string;
      resource: string;
      parameters: string;
      token?: string;
      credentials?: string;
    } & TaskTimeouts)
  | ({
      type: 'LambdaFunctionScheduled';
      resource: string;
      input: string;
      credentials?: string;
    } & TaskTimeouts)
  | ({ type: 'ActivityScheduled'; resource: string; input: string; token: string } & TaskTimeouts)
  | ({ type: 'TaskStarted' } & TaskTarget)
  | { type: 'LambdaFunctionStarted' }
  | { type: 'ActivityStarted'; workerName?: string }
  | ({ type: 'TaskSubmitted'; output: string } & TaskTarget)
  | ({ type: 'TaskSucceeded'; output: string } & TaskTarget)
  | { type: 'LambdaFunctionSucceeded' | 'ActivitySucceeded'; output: string }
  | ({ type: 'TaskFailed' | 'TaskTimedOut' } & TaskTarget & Failure)
  | ({
      type:
        | 'LambdaFunctionFailed'
        | 'LambdaFunctionTimedOut'
        | 'ActivityFailed'
        | 'ActivityTimedOut';
    } & Failure)
  /** `input`: what every branch gets (after Parameters or Arguments). */
  | { type: 'ParallelStateStarted'; input: string }
  | { type: 'ParallelStateSucceeded' | 'MapStateSucceeded' }
  | ({ type: 'ParallelStateFailed' | 'MapStateFailed' } & Failure)
  | {
      type: 'MapStateStarted';
      length: number;
      /** Of an inline Map: what each iteration gets (after ItemSelector). */
      inputs?: Json[];
      /** Of an inline Map: `$$.Map.Item.Value` of each; absent where it is the input itself. */
      values?: Json[];
      maxConcurrency?: number;
    }
  /** What MapRunStarted says beside its ARN goes to the Map Run's row (store/map-runs.ts). */
  | {
      type: 'MapRunStarted';
      mapRunArn: string;
      express: boolean;
      maxConcurrency: number;
      toleratedFailureCount?: number;
      toleratedFailurePercentage?: number;
    }
  | { type: 'MapRunRedriven'; mapRunArn: string; redriveCount: number }
  /** `output`: the results, or where they were written to; history does not show it. */
  | { type: 'MapRunSucceeded'; mapRunArn: string; output: string }
  | ({ type: 'MapRunFailed'; mapRunArn: string } & Failure)
  | { type: 'MapRunAborted' }
  | { type: 'MapIterationStarted'; index: number; name: string }
  | {
      type: 'MapIterationSucceeded' | 'MapIterationFailed' | 'MapIterationAborted';
      index: number;
      name: string;
    }
  | { type: 'WaitStarted'; until: number }
  | ({ type: 'RetryScheduled'; retrier: number; dueAt: number } & Failure)
  | { type: 'Heartbeat' };

/** AWS repeats it in every event of a `Task…` attempt. */
type TaskTarget = { resourceType: string; resource: string };

type TaskTimeouts = { timeoutSeconds?: number; heartbeatSeconds?: number };

/**
 * One record of the log: AWS's event and what is needed beside it.
 * `id` is 0 for internal records; ids of visible ones run from 1 without gap.
 */
export type LogRecord = RecordBody & {
  id: number;
  prev: number;
  /** Milliseconds since the epoch. */
  at: number;
  /** The thread (branch, iteration) it belongs to; 0 is the execution itself. */
  thread: number;
};

export type RecordType = RecordBody['type'];

export function isVisible(record: LogRecord): boolean {
  return record.id > 0;
}
