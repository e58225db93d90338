import { isJsonObject, type JsonObject } from '../language/json.ts';
import type { SdkCaller, SdkResult, SdkService } from './aws-sdk-client.ts';
import { sdkMetadata } from './sdk-metadata.ts';
import { sdkOutput } from './sdk-output.ts';
import { TaskError, type TaskCall } from './task-call.ts';

/** How AWS names a service in the errors of its optimized integration. */
export type ServiceNames = {
  /** Before the dot of the error: `SQS`. */
  readonly error: string;
  /** In the cause, and in the name of errors that the model does not have: `AmazonSQS`. */
  readonly service: string;
};

/** Calls the service; the answer with the SDK's metadata, or TaskError in AWS's words. */
export async function callOptimized(
  sdk: SdkCaller,
  service: SdkService,
  names: ServiceNames,
  call: TaskCall,
  parameters: object,
): Promise<JsonObject> {
  const { action, signal } = call;
  const result = await sdk.call({ service, action, parameters, signal });
  if (!result) throw new TaskError('States.Runtime', `${names.error} has no action '${action}'.`);
  if (result.kind !== 'answered') throw optimizedError(names, result);
  return { ...(await sdkOutput(result.output)), ...sdkMetadata(result.http) };
}

export function optimizedError(
  { error, service }: ServiceNames,
  result: Exclude<SdkResult, { kind: 'answered' }>,
): TaskError {
  if (result.kind === 'unreachable') {
    return new TaskError(
      `${error}.SdkClientException`,
      `Unable to execute HTTP request: ${result.message}`,
    );
  }
  const { name, isModelled, message, status, requestId } = result;
  const known = name.endsWith('Exception') ? name : `${name}Exception`;
  return new TaskError(
    `${error}.${isModelled ? known : `${service}Exception`}`,
    `${message} (Service: ${service}; Status Code: ${status}; Error Code: ${name}; Request ID: ${requestId}; Proxy: null)`,
  );
}

export function parametersOf(call: TaskCall): JsonObject {
  return isJsonObject(call.arguments) ? call.arguments : {};
}

/** Without the members that are null, which the SDK would refuse for their type. */
export function withoutNulls(parameters: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== null));
}
