import { createExecutions } from '../../../jobs/executions.ts';
import type { JobView } from '../../../jobs/store/find-job.ts';
import type { OperationsDeps } from '../../operations.ts';

/** The execution of the job's run; its ARN follows from the names before it is recorded. */
export const executionArnOf = (
  { sfn, stateMachineArnPrefix }: OperationsDeps,
  job: JobView,
): string =>
  job.executionArn ??
  createExecutions(sfn, stateMachineArnPrefix).arnOf(job.type, job.executionName);
