import type { Json, JsonObject } from '../language/json.ts';
import { toText } from './json-text.ts';
import type { LogRecord } from './record.ts';

type Options = {
  readonly includeExecutionData: boolean;
  readonly region: string;
  readonly roleArn: string;
  readonly versionArn?: string;
  readonly aliasArn?: string;
};

/**
 * A record as GetExecutionHistory shows it; `timestamp` is in milliseconds here.
 * The detail members are those of the service model, filled as AWS was seen to fill them.
 */
export function historyEvent(record: LogRecord, options: Options): JsonObject {
  const details = detailsOf(record, options);
  return {
    timestamp: record.at / 1000,
    type: record.type,
    id: record.id,
    previousEventId: record.prev,
    ...(details && { [details.member]: details.value }),
  };
}

type Details = { member: string; value: JsonObject };

function detailsOf(record: LogRecord, options: Options): Details | undefined {
  const withData = options.includeExecutionData;
  const data = (name: 'input' | 'output', text: string): JsonObject => ({
    ...(withData && { [name]: text }),
    [`${name}Details`]: { truncated: false },
  });
  const member = `${record.type[0]?.toLowerCase()}${record.type.slice(1)}EventDetails`;

  switch (record.type) {
    case 'ExecutionStarted':
      return {
        member,
        value: {
          ...data('input', record.input),
          roleArn: options.roleArn,
          ...(options.aliasArn !== undefined && { stateMachineAliasArn: options.aliasArn }),
          ...(options.versionArn !== undefined && { stateMachineVersionArn: options.versionArn }),
        },
      };
    case 'ExecutionSucceeded':
    case 'LambdaFunctionSucceeded':
    case 'ActivitySucceeded':
      return { member, value: data('output', record.output) };
    case 'ExecutionFailed':
    case 'ExecutionAborted':
    case 'ExecutionTimedOut':
    case 'LambdaFunctionFailed':
    case 'LambdaFunctionTimedOut':
    case 'ActivityFailed':
    case 'ActivityTimedOut':
      return { member, value: failure(record) };
    case 'ExecutionRedriven':
      return { member, value: { redriveCount: record.redriveCount } };
    case 'EvaluationFailed':
      return {
        member,
        value: {
          ...failure(record),
          ...present({ location: record.location }),
          state: record.state,
        },
      };
    case 'TaskScheduled':
      return {
        member,
        value: {
          resourceType: record.resourceType,
          resource: record.resource,
          region: options.region,
          parameters: withData ? record.parameters : '',
          ...timeouts(record),
          ...credentials(record.credentials),
        },
      };
    case 'LambdaFunctionScheduled':
      return {
        member,
        value: {
          resource: record.resource,
          ...data('input', record.input),
          ...timeouts(record),
          ...credentials(record.credentials),
        },
      };
    case 'ActivityScheduled':
      return {
        member,
        value: { resource: record.resource, ...data('input', record.input), ...timeouts(record) },
      };
    case 'ActivityStarted':
      return { member, value: present({ workerName: record.workerName }) };
    case 'TaskStarted':
      return { member, value: target(record) };
    case 'TaskSubmitted':
    case 'TaskSucceeded':
      return { member, value: { ...target(record), ...data('output', record.output) } };
    case 'TaskFailed':
    case 'TaskTimedOut':
      return { member, value: { ...target(record), ...failure(record) } };
    case 'MapStateStarted':
      return { member, value: { length: record.length } };
    case 'MapRunStarted':
      return { member, value: { mapRunArn: record.mapRunArn } };
    case 'MapRunRedriven':
      return {
        member,
        value: { mapRunArn: record.mapRunArn, redriveCount: record.redriveCount },
      };
    case 'MapRunFailed':
      return { member, value: failure(record) };
    case 'MapIterationStarted':
    case 'MapIterationSucceeded':
    case 'MapIterationFailed':
    case 'MapIterationAborted':
      return { member, value: { name: record.name, index: record.index } };
    default:
      if ('name' in record && 'output' in record) {
        return { member: 'stateExitedEventDetails', value: stateExited(record, data) };
      }
      if ('name' in record && 'input' in record) {
        return {
          member: 'stateEnteredEventDetails',
          value: { name: record.name, ...data('input', record.input) },
        };
      }
      return undefined;
  }
}

function stateExited(
  record: Extract<LogRecord, { name: string; output: string }>,
  data: (name: 'output', text: string) => JsonObject,
): JsonObject {
  return {
    name: record.name,
    ...data('output', record.output),
    ...(record.assigned && {
      assignedVariables: Object.fromEntries(
        Object.entries(record.assigned).map(([name, value]) => [name, toText(value)]),
      ),
      assignedVariablesDetails: { truncated: false },
    }),
  };
}

function failure({ error, cause }: { error?: string; cause?: string }): JsonObject {
  return present({ error, cause });
}

function target({
  resourceType,
  resource,
}: {
  resourceType: string;
  resource: string;
}): JsonObject {
  return { resourceType, resource };
}

function timeouts(record: { timeoutSeconds?: number; heartbeatSeconds?: number }): JsonObject {
  return present({
    timeoutInSeconds: record.timeoutSeconds,
    heartbeatInSeconds: record.heartbeatSeconds,
  });
}

function credentials(text: string | undefined): JsonObject {
  if (text === undefined) return {};
  const value = JSON.parse(text) as { RoleArn?: Json };
  return value.RoleArn === undefined ? {} : { taskCredentials: { roleArn: value.RoleArn } };
}

function present(members: Record<string, Json | undefined>): JsonObject {
  const kept: JsonObject = {};
  for (const [name, value] of Object.entries(members)) if (value !== undefined) kept[name] = value;
  return kept;
}
