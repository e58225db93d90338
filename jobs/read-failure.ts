import {
  DescribeExecutionCommand,
  ListExecutionsCommand,
  type SFNClient,
} from '@aws-sdk/client-sfn';
import { classifyingAws } from './classify.ts';
import { executionFailure, type FailedExecution, needsHistory } from './execution-failure.ts';
import { readFailingPlace } from './failing-state.ts';
import { type Failure, Terminal } from './failure.ts';

export type ReadFailureDeps = {
  readonly sfn: SFNClient;
  /** Resolves when the next call may be made: AWS refills GetExecutionHistory at 20 a second, ListExecutions at 5. */
  readonly takeToken: () => Promise<void>;
};

/**
 * The job's failure. Where the execution's own cause does not tell it, its history says which state failed; where
 * that was a Map Run, one of its failed children says why.
 */
export async function readFailure(
  deps: ReadFailureDeps,
  executionArn: string,
  execution: FailedExecution,
): Promise<Failure> {
  if (!needsHistory(execution)) return executionFailure(execution);
  await deps.takeToken();
  const { state, mapRunArn } = await readFailingPlace(deps.sfn, executionArn);
  const failure = executionFailure(execution, state);
  if (failure.code !== 'MAP_RUN_FAILED' || mapRunArn === null) return failure;
  const child = await readFailedChild(deps, mapRunArn);
  return child === undefined ? failure : ofChild(child, state);
}

/** A child that failed: the newest. Others may have failed for other reasons; the console shows all. */
async function readFailedChild(
  { sfn, takeToken }: ReadFailureDeps,
  mapRunArn: string,
): Promise<FailedExecution | undefined> {
  try {
    for (const statusFilter of ['FAILED', 'TIMED_OUT'] as const) {
      const listed = new ListExecutionsCommand({ mapRunArn, statusFilter, maxResults: 1 });
      await takeToken();
      const { executions } = await classifyingAws(() => sfn.send(listed));
      const executionArn = executions?.[0]?.executionArn;
      if (executionArn === undefined) continue;
      await takeToken();
      // Children are described whether they are Standard or Express:
      // https://docs.aws.amazon.com/step-functions/latest/apireference/API_DescribeExecution.html
      const described = new DescribeExecutionCommand({ executionArn });
      const {
        status = statusFilter,
        error,
        cause,
      } = await classifyingAws(() => sfn.send(described));
      return { status, error, cause };
    }
    return undefined;
  } catch (error) {
    // A refusal must not keep the job from being FAILED; what is away for a while is asked again.
    if (error instanceof Terminal) return undefined;
    throw error;
  }
}

/** A child knows its own state; where it does not, the Map's is named. */
function ofChild(child: FailedExecution, mapState: string | null): Failure {
  const failure = executionFailure(child, mapState);
  const timedOut = child.status === 'TIMED_OUT';
  return timedOut ? { ...failure, message: `a child of the Map Run: ${failure.message}` } : failure;
}
