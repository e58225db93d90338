import {
  DescribeExecutionCommand,
  type ExecutionStatus,
  RedriveExecutionCommand,
  type SFNClient,
  SendTaskSuccessCommand,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import { classifyingAws } from './classify.ts';
import { crashPoint } from './crash-point.ts';
import { Terminal } from './failure.ts';
import { longestCallMs } from './step-functions-calls.ts';

/** An execution as DescribeExecution shows it; eventually consistent on AWS. */
export type ExecutionView = {
  readonly arn: string;
  readonly status: ExecutionStatus;
  readonly redriveCount: number;
  readonly error: string | undefined;
  readonly cause: string | undefined;
};

/** Step Functions as the dispatcher and the reconciler use it. What fails throws Transient or Terminal. */
export type Executions = {
  arnOf(type: string, executionName: string): string;
  /** Starting twice is starting once: `already` where an execution of this name exists, closed or not. */
  start(
    type: string,
    executionName: string,
    jobId: string,
  ): Promise<{ arn: string; already: boolean }>;
  /** undefined where there is no such execution (any more: AWS keeps them for 90 days). */
  describe(arn: string): Promise<ExecutionView | undefined>;
  /** Gives AWS's reason where it refuses. */
  redrive(arn: string, clientToken: string): Promise<{ refused: string | undefined }>;
  /** Stopping what is closed or never was is fine. */
  stop(arn: string, error: string, cause: string): Promise<void>;
  /** Ends the state that waits with this token; gives the name of AWS's reason where nothing waits with it. */
  succeedTask(taskToken: string, output: unknown): Promise<{ refused: string | undefined }>;
};

/**
 * The input of every execution: small, and the same bytes each time, since StartExecution compares them
 * (https://docs.aws.amazon.com/step-functions/latest/apireference/API_StartExecution.html).
 */
export const executionInput = (jobId: string, type: string): string =>
  JSON.stringify({ jobId, type });

/** An execution's ARN, which follows from its names: https://docs.aws.amazon.com/service-authorization/latest/reference/list_awsstepfunctions.html */
export const executionArn = (
  stateMachineArnPrefix: string,
  type: string,
  executionName: string,
): string =>
  `${stateMachineArnPrefix.replace(':stateMachine:', ':execution:')}${type}:${executionName}`;

/**
 * `stateMachineArnPrefix` + job type is the state machine: `arn:aws:states:<region>:<account>:stateMachine:pawl-`.
 * With an alias, executions are started by the version that it points to; their ARNs are the same.
 */
export function createExecutions(
  sfn: SFNClient,
  stateMachineArnPrefix: string,
  alias?: string,
): Executions {
  const qualifier = alias === undefined ? '' : `:${alias}`;
  const arnOf = (type: string, executionName: string): string =>
    executionArn(stateMachineArnPrefix, type, executionName);
  return {
    arnOf,
    async start(type, executionName, jobId) {
      const command = new StartExecutionCommand({
        stateMachineArn: `${stateMachineArnPrefix}${type}${qualifier}`,
        name: executionName,
        input: executionInput(jobId, type),
      });
      crashPoint('before-start-execution');
      const answer = await orUndefined(['ExecutionAlreadyExists'], () =>
        sfn.send(command, inTime()),
      );
      crashPoint('after-start-execution');
      return answer === undefined
        ? { arn: arnOf(type, executionName), already: true }
        : { arn: answer.executionArn ?? arnOf(type, executionName), already: false };
    },
    async describe(arn) {
      // With METADATA_ONLY there would be no error and no cause, which say why it failed.
      const command = new DescribeExecutionCommand({ executionArn: arn });
      const answer = await orUndefined(['ExecutionDoesNotExist'], () =>
        sfn.send(command, inTime()),
      );
      if (answer?.status === undefined) return undefined;
      const { status, redriveCount, error, cause } = answer;
      return { arn, status, redriveCount: redriveCount ?? 0, error, cause };
    },
    async redrive(arn, clientToken) {
      try {
        crashPoint('before-redrive-execution');
        await classifyingAws(() =>
          sfn.send(new RedriveExecutionCommand({ executionArn: arn, clientToken }), inTime()),
        );
        crashPoint('after-redrive-execution');
        return { refused: undefined };
      } catch (error) {
        if (error instanceof Terminal) return { refused: error.message };
        throw error;
      }
    },
    async stop(arn, error, cause) {
      const command = new StopExecutionCommand({ executionArn: arn, error, cause });
      crashPoint('before-stop-execution');
      await orUndefined(['ExecutionDoesNotExist', 'ValidationException'], () =>
        sfn.send(command, inTime()),
      );
      crashPoint('after-stop-execution');
    },
    async succeedTask(taskToken, output) {
      const command = new SendTaskSuccessCommand({ taskToken, output: JSON.stringify(output) });
      return await classifyingAws(async () => {
        try {
          await sfn.send(command, inTime());
          return { refused: undefined };
        } catch (error) {
          if (error instanceof Error && nothingWaits.has(error.name))
            return { refused: error.name };
          throw error;
        }
      });
    },
  };
}

/** After this nothing of the call is sent any more, whatever the SDK still waits for before another try. */
const inTime = () => ({ abortSignal: AbortSignal.timeout(longestCallMs) });

/** https://docs.aws.amazon.com/step-functions/latest/apireference/API_SendTaskSuccess.html */
const nothingWaits = new Set(['TaskTimedOut', 'TaskDoesNotExist', 'InvalidToken']);

/** Runs an AWS call; gives undefined for the named refusals, which are answers rather than failures. */
async function orUndefined<Answer>(
  names: readonly string[],
  call: () => Promise<Answer>,
): Promise<Answer | undefined> {
  return await classifyingAws(async () => {
    try {
      return await call();
    } catch (error) {
      if (error instanceof Error && names.includes(error.name)) return undefined;
      throw error;
    }
  });
}
