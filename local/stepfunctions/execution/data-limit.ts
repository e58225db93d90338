import type { Failure } from './record.ts';

/** States.DataLimitExceeded in AWS's words; `what` is the state, or the task's resource. */
export function dataLimitExceeded(what: string): Failure {
  return {
    error: 'States.DataLimitExceeded',
    cause: `The state/task '${what}' returned a result with a size exceeding the maximum number of bytes service limit.`,
  };
}
