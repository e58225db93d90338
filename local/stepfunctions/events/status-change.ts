import type { JsonObject } from '../language/json.ts';
import type { LogRecord } from '../execution/record.ts';
import type { ExecutionStatus, ExecutionView } from '../execution/view.ts';

/** Beyond this (input and output, escaped) AWS leaves the input, then the output out. */
const MAX_DATA_BYTES = 248 * 1024;

/**
 * The "Step Functions Execution Status Change" events that a turn's records make, as PutEvents
 * entries without their bus. Times are epoch milliseconds, missing values explicit nulls.
 * That a redrive emits RUNNING, and the form of redriveDate (ISO 8601), are not verified on AWS.
 * https://docs.aws.amazon.com/step-functions/latest/dg/eventbridge-integration.html
 */
export function statusChangeEvents(
  view: ExecutionView,
  records: readonly LogRecord[],
): JsonObject[] {
  const events: JsonObject[] = [];
  for (const record of records) {
    const status = statusAfter(record);
    if (status) events.push(statusChangeEvent(view, status, record));
  }
  return events;
}

function statusAfter(record: LogRecord): ExecutionStatus | undefined {
  switch (record.type) {
    case 'ExecutionStarted':
    case 'ExecutionRedriven':
      return 'RUNNING';
    case 'ExecutionSucceeded':
      return 'SUCCEEDED';
    case 'ExecutionFailed':
      return 'FAILED';
    case 'ExecutionAborted':
      return 'ABORTED';
    case 'ExecutionTimedOut':
      return 'TIMED_OUT';
    default:
      return undefined;
  }
}

function statusChangeEvent(
  view: ExecutionView,
  status: ExecutionStatus,
  record: LogRecord,
): JsonObject {
  const { identity } = view;
  const output = record.type === 'ExecutionSucceeded' ? record.output : undefined;
  const ended = status !== 'RUNNING';
  const { error, cause } = 'error' in record || 'cause' in record ? record : {};
  return {
    Source: 'aws.states',
    DetailType: 'Step Functions Execution Status Change',
    Time: record.at / 1000,
    Resources: [identity.arn],
    Detail: JSON.stringify({
      executionArn: identity.arn,
      stateMachineArn: identity.machineArn,
      name: identity.name,
      status,
      startDate: view.startedAt,
      stopDate: ended ? record.at : null,
      ...data(view.inputText, output),
      stateMachineVersionArn: identity.versionArn ?? null,
      stateMachineAliasArn: identity.aliasArn ?? null,
      redriveCount: view.redriveCount,
      redriveDate: view.redrivenAt === undefined ? null : new Date(view.redrivenAt).toISOString(),
      ...redriveStatus(status, view.redriveCount),
      error: error ?? null,
      cause: cause ?? null,
    }),
  };
}

function data(input: string, output: string | undefined): JsonObject {
  const sizeOf = (text: string | undefined): number =>
    text === undefined ? 0 : Buffer.byteLength(JSON.stringify(text));
  const keepsOutput = output !== undefined && sizeOf(output) <= MAX_DATA_BYTES;
  const keepsInput = sizeOf(input) + sizeOf(output) <= MAX_DATA_BYTES;
  return {
    input: keepsInput ? input : null,
    inputDetails: { included: keepsInput },
    output: keepsOutput ? output : null,
    outputDetails: output === undefined ? null : { included: keepsOutput },
  };
}

/** Not the API's enum: an execution that runs because it was redriven is REDRIVE_IN_PROGRESS. */
function redriveStatus(status: ExecutionStatus, redriveCount: number): JsonObject {
  if (status === 'FAILED' || status === 'ABORTED' || status === 'TIMED_OUT') {
    return {
      redriveStatus: 'REDRIVABLE',
      redriveStatusReason: `Execution is ${status} and is redrivable`,
    };
  }
  return {
    redriveStatus:
      status === 'RUNNING' && redriveCount > 0 ? 'REDRIVE_IN_PROGRESS' : 'NOT_REDRIVABLE',
    redriveStatusReason: `Execution is ${status} and cannot be redriven`,
  };
}
