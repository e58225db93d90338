import { createHash, randomUUID } from 'node:crypto';
import { executionArn } from '../arn.ts';
import { ApiError } from '../api/api-error.ts';
import { beginExecution } from '../api/begin-execution.ts';
import { resolveMachine } from '../api/find-machine.ts';
import { findExecution, inputOf } from '../api/find-execution.ts';
import { redriveStatus } from '../api/redrive-status.ts';
import type { Api } from '../api/operation.ts';
import { toText } from '../execution/json-text.ts';
import { isJsonObject, type Json, type JsonObject } from '../language/json.ts';
import type { ExecutionRow } from '../store/executions.ts';
import { TaskError, type TaskCall, type TaskDriver } from './task-call.ts';

/**
 * `states:startExecution`, `.sync` (the child's output as a JSON text) and `.sync:2` (as JSON).
 * https://docs.aws.amazon.com/step-functions/latest/dg/connect-stepfunctions.html
 */
export function startExecutionDriver(api: () => Api): TaskDriver {
  return {
    async call(call) {
      const parameters = isJsonObject(call.arguments) ? call.arguments : {};
      const request = {
        stateMachineArn: textOf(parameters, 'StateMachineArn') ?? '',
        // The attempt's own name: a call repeated after a crash finds the execution it started.
        name: textOf(parameters, 'Name') ?? nameOf(call),
        input: inputText(parameters['Input']),
      };
      try {
        const { arn, startedAt } = await beginExecution(api(), request);
        return started(arn, startedAt);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const own = startedBefore(api(), call, request, error);
        if (own) return started(own.arn, own.startedAt);
        throw refused(error);
      }
    },
    async follow(call, submitted) {
      const arn = executionArnOf(submitted);
      await ended(api(), arn, call.signal);
      return outcome(api(), call, findExecution(api(), arn));
    },
    async cancel(_call, submitted) {
      const row = findExecution(api(), executionArnOf(submitted));
      await api().host.send(row.id, { kind: 'stop' });
    },
  };
}

/**
 * The engine was killed after this attempt had started its execution and before that was written
 * down, and the execution has ended since: it is the attempt's own if it has its input and did not
 * start before the attempt.
 */
function startedBefore(
  api: Api,
  call: TaskCall,
  request: { stateMachineArn: string; name: string; input: string },
  error: ApiError,
): ExecutionRow | undefined {
  if (error.code !== 'ExecutionAlreadyExists') return undefined;
  const { machine } = resolveMachine(api, request.stateMachineArn);
  const row = api.store.executions.find(executionArn(api.locality, machine.name, request.name));
  const isOwn = row && row.startedAt >= call.startedAt && inputOf(api, row) === request.input;
  return isOwn ? row : undefined;
}

/** Deterministic, so that a repeated call of one attempt starts one execution. */
function nameOf({ attemptKey }: TaskCall): string {
  return uuidOf(attemptKey);
}

function textOf(parameters: JsonObject, name: string): string | undefined {
  const value = parameters[name];
  return typeof value === 'string' ? value : undefined;
}

/** A text is the input as it stands, anything else its JSON; null and nothing are an empty object. */
function inputText(input: Json | undefined): string {
  if (input === undefined || input === null) return '{}';
  return toText(input);
}

function started(arn: string, startedAt: number): Json {
  const requestId = randomUUID();
  const length = String(JSON.stringify({ executionArn: arn, startDate: startedAt / 1000 }).length);
  const date = new Date().toUTCString();
  return {
    ExecutionArn: arn,
    SdkHttpMetadata: {
      AllHttpHeaders: {
        'x-amzn-RequestId': [requestId],
        connection: ['keep-alive'],
        'Content-Length': [length],
        Date: [date],
        'Content-Type': ['application/x-amz-json-1.0'],
      },
      HttpHeaders: {
        'x-amzn-RequestId': requestId,
        connection: 'keep-alive',
        'Content-Length': length,
        Date: date,
        'Content-Type': 'application/x-amz-json-1.0',
      },
      HttpStatusCode: 200,
    },
    SdkResponseMetadata: { RequestId: requestId },
    StartDate: startedAt / 1000,
  };
}

function refused(error: ApiError): TaskError {
  return new TaskError(
    `StepFunctions.${error.code}Exception`.replace('ExceptionException', 'Exception'),
    `${error.message} (Service: AWSStepFunctions; Status Code: ${error.httpStatus}; Error Code: ${error.code}; Request ID: ${randomUUID()}; Proxy: null)`,
  );
}

function executionArnOf(submitted: Json): string {
  return (isJsonObject(submitted) && textOf(submitted, 'ExecutionArn')) || '';
}

function ended(api: Api, arn: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stopWaiting = api.closed.add(arn, () => resolve());
    signal.addEventListener('abort', stopWaiting);
    // It may have ended before anybody waited.
    if (api.store.executions.find(arn)?.status !== 'RUNNING') {
      stopWaiting();
      resolve();
    }
  });
}

/** DescribeExecution's answer, as Step Functions shows it. */
function outcome(api: Api, { suffix }: TaskCall, row: ExecutionRow): Json {
  const data = (text: string): Json => (suffix === 'sync:2' ? (JSON.parse(text) as Json) : text);
  const redrive = redriveStatus(api, row);
  const description: JsonObject = {
    ExecutionArn: row.arn,
    Input: data(inputOf(api, row)),
    InputDetails: { Included: true },
    Name: row.name,
    ...(row.output !== undefined && {
      Output: data(row.output),
      OutputDetails: { Included: true },
    }),
    StartDate: row.startedAt,
    StateMachineArn: row.machineArn,
    Status: row.status,
    StopDate: row.stoppedAt ?? row.startedAt,
    ...(row.error !== undefined && { Error: row.error }),
    ...(row.cause !== undefined && { Cause: row.cause }),
    RedriveCount: row.redriveCount,
    RedriveStatus: redrive.status,
    ...('reason' in redrive && { RedriveStatusReason: redrive.reason }),
  };
  if (row.status === 'SUCCEEDED') return description;
  throw new TaskError('States.TaskFailed', toText(description));
}

function uuidOf(key: string): string {
  const hex = createHash('sha256').update(key).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
