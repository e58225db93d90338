import type { IntegrationPattern } from '../execution/task-resource.ts';
import type { TestCase } from '../execution/view.ts';
import type { Json } from '../language/json.ts';

/** One attempt of a Task, as its driver sees it. Everything in it is recorded in the log. */
export type TaskCall = {
  readonly executionArn: string;
  readonly stateName: string;
  readonly region: string;
  readonly accountId: string;
  /** `lambda`, `states`, `aws-sdk:…`; `lambda-function` for a plain function ARN. */
  readonly service: string;
  /** `invoke`, `startExecution`, `sendMessage`, …; the ARN itself for a plain function ARN. */
  readonly action: string;
  readonly pattern: IntegrationPattern;
  /** `sync:2` for the second form of `.sync`. */
  readonly suffix?: string;
  readonly arguments: Json;
  readonly credentials?: Json;
  readonly taskToken?: string;
  readonly testCase?: TestCase;
  /**
   * The same for every invocation of one attempt, also after a crash: what a service that
   * deduplicates requests should be given.
   */
  readonly attemptKey: string;
  /** When the attempt was started, as the log has it (epoch milliseconds). */
  readonly startedAt: number;
  /** Raised when the attempt is over: timed out, aborted, stopped. */
  readonly signal: AbortSignal;
};

/** A task failed; AWS's error name and cause. */
export class TaskError extends Error {
  override readonly name = 'TaskError';
  readonly error: string;
  override readonly cause: string;
  constructor(error: string, cause: string) {
    super(`${error}: ${cause}`);
    this.error = error;
    this.cause = cause;
  }
}

/**
 * How one service is called. All patterns share `call`; what waits differs:
 * requestResponse takes its result as the task's, waitForTaskToken waits for the token,
 * `.sync` goes on with `follow`.
 * A driver may be called again for the same attempt (after a crash); see `attemptKey`.
 */
export type TaskDriver = {
  /** Resolves with the service's answer; throws TaskError. */
  call(call: TaskCall): Promise<Json>;
  /** `.sync`: resolves with the task's result when the started job is done. May be begun anew after a restart. */
  follow?(call: TaskCall, submitted: Json): Promise<Json>;
  /** `.sync`: the attempt was given up; ends the job as well as can be. */
  cancel?(call: TaskCall, submitted: Json): Promise<void>;
};
