import { isTooDeep, toText } from '../execution/json-text.ts';
import type { Json } from '../language/json.ts';
import type { Invocation, InvocationResult, LambdaClient } from './invoke-lambda.ts';
import { TaskError, type TaskDriver } from './task-call.ts';

/** A Task whose Resource is a function's ARN: the payload goes in and comes back bare. */
export function lambdaFunctionDriver(lambda: LambdaClient): TaskDriver {
  return {
    async call({ action, arguments: input, signal }) {
      const result = await lambda.invoke({ functionName: action, payload: toText(input), signal });
      return payloadOf(result);
    },
  };
}

/** `lambda:invoke`: the Invoke API's own parameters and answer. */
export function lambdaInvokeDriver(lambda: LambdaClient): TaskDriver {
  return {
    async call({ arguments: parameters, signal }) {
      const result = await lambda.invoke(invocationOf(parameters, signal));
      return describe(result, payloadOf(result));
    },
  };
}

function invocationOf(parameters: Json, signal: AbortSignal): Invocation {
  const given = isRecord(parameters) ? parameters : {};
  const { FunctionName, Payload, Qualifier, InvocationType, LogType, ClientContext } = given;
  if (typeof FunctionName !== 'string' || FunctionName === '') {
    throw new TaskError(
      'States.Runtime',
      "The Parameters field must have a 'FunctionName', which names a Lambda function.",
    );
  }
  const headers: Record<string, string> = {};
  const header = (name: string, value: Json | undefined): void => {
    if (typeof value === 'string') headers[name] = value;
  };
  header('X-Amz-Invocation-Type', InvocationType);
  header('X-Amz-Log-Type', LogType);
  header('X-Amz-Client-Context', ClientContext);
  return {
    functionName: FunctionName,
    payload: payloadText(Payload),
    ...(typeof Qualifier === 'string' && { qualifier: Qualifier }),
    headers,
    signal,
  };
}

/**
 * A missing or null payload is an empty event. A text that is JSON itself goes as it stands, as
 * recorded from AWS: `"Payload": "{}"` sends an object.
 */
function payloadText(payload: Json | undefined): string {
  if (payload === undefined || payload === null) return '{}';
  const isJson = typeof payload === 'string' && parseOrUndefined(payload) !== undefined;
  return isJson ? payload : toText(payload);
}

/** The function's result; throws what it threw, or what Lambda answered instead. */
function payloadOf({ status, headers, body }: InvocationResult): Json {
  const requestId = String(headers['x-amzn-requestid'] ?? '');
  if (status >= 300) throw serviceError(status, headers['x-amzn-errortype'], body, requestId);
  if (headers['x-amz-function-error'] !== undefined) throw functionError(body);
  if (body === '') return null;
  if (isTooDeep(body))
    throw new TaskError('Lambda.Unknown', "The function's result is nested too deep.");
  try {
    return JSON.parse(body) as Json;
  } catch {
    throw new TaskError(
      'Lambda.Unknown',
      `The function's result is not JSON: ${body.slice(0, 200)}`,
    );
  }
}

/** The error is the exception's class name, the cause its JSON as a text. */
function functionError(body: string): TaskError {
  const payload = parseOrUndefined(body);
  const type = isRecord(payload) ? payload['errorType'] : undefined;
  return new TaskError(typeof type === 'string' ? type : 'Lambda.Unknown', body);
}

function serviceError(
  status: number,
  type: string | string[] | undefined,
  body: string,
  requestId: string,
): TaskError {
  const code = String(type ?? 'ServiceException').split(':')[0] ?? '';
  const payload = parseOrUndefined(body);
  const message = isRecord(payload) ? (payload['message'] ?? payload['Message']) : undefined;
  return new TaskError(
    `Lambda.${code}`,
    `${typeof message === 'string' ? message : body} (Service: AWSLambda; Status Code: ${status}; Error Code: ${code}; Request ID: ${requestId}; Proxy: null)`,
  );
}

/** The answer of Invoke as Step Functions shows it, with the HTTP metadata of its SDK. */
function describe({ status, headers, rawHeaders }: InvocationResult, payload: Json): Json {
  const all: Record<string, string[]> = {};
  const single: Record<string, string> = {};
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const value = rawHeaders[index + 1] ?? '';
    (all[name] ??= []).push(value);
    single[name] = value;
  }
  const logResult = headers['x-amz-log-result'];
  return {
    ExecutedVersion: String(headers['x-amz-executed-version'] ?? '$LATEST'),
    ...(typeof logResult === 'string' && { LogResult: logResult }),
    Payload: payload,
    SdkHttpMetadata: { AllHttpHeaders: all, HttpHeaders: single, HttpStatusCode: status },
    SdkResponseMetadata: { RequestId: String(headers['x-amzn-requestid'] ?? '') },
    StatusCode: status,
  };
}

function isRecord(value: unknown): value is Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
