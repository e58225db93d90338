import { randomUUID } from 'node:crypto';
import { ApiError } from '../api/api-error.ts';
import type { Api } from '../api/operation.ts';
import { operations } from '../api/operations.ts';
import { toText } from '../execution/json-text.ts';
import { isJsonObject, type Json, type JsonObject } from '../language/json.ts';
import type { SdkCaller, SdkService } from './aws-sdk-client.ts';
import { parametersOf, withoutNulls } from './optimized-integration.ts';
import { sdkOutput } from './sdk-output.ts';
import { TaskError, type TaskDriver } from './task-call.ts';

/** How the Java SDK, which AWS calls services with, spells their names. */
const SPELLING: Record<SdkService, string> = { s3: 'S3', sqs: 'Sqs', eventbridge: 'EventBridge' };

/**
 * `aws-sdk:s3`, `aws-sdk:sqs`, `aws-sdk:eventbridge`: every action of the service.
 * https://docs.aws.amazon.com/step-functions/latest/dg/supported-services-awssdk.html
 */
export function awsSdkDriver(sdk: SdkCaller, service: SdkService): TaskDriver {
  const spelled = SPELLING[service];
  return {
    async call(call) {
      const { action, signal } = call;
      const parameters = withTexts(withoutNulls(parametersOf(call)));
      const result = await sdk.call({ service, action, parameters, signal });
      if (!result) throw noSuchAction(call.service, action);
      if (result.kind === 'answered') return sdkOutput(result.output);
      if (result.kind === 'unreachable') {
        throw new TaskError(
          `${spelled}.SdkClientException`,
          `Unable to execute HTTP request: ${result.message} (SDK Attempt Count: 1)`,
        );
      }
      const { name, isModelled, message, status, requestId } = result;
      const known = name.endsWith('Exception') ? name : `${name}Exception`;
      throw new TaskError(
        `${spelled}.${isModelled ? known : `${spelled}Exception`}`,
        `${message} (Service: ${spelled}, Status Code: ${status}, Request ID: ${requestId}) (SDK Attempt Count: 1)`,
      );
    },
  };
}

/** Bodies of objects and messages are texts; other JSON is sent as its text. */
function withTexts(parameters: JsonObject): JsonObject {
  const texts: JsonObject = { ...parameters };
  for (const name of ['Body', 'MessageBody']) {
    const value = texts[name];
    if (value !== undefined && typeof value !== 'string') texts[name] = toText(value);
  }
  return texts;
}

/** `aws-sdk:sfn`: the engine's own API, without a way over the network. */
export function ownApiDriver(api: () => Api): TaskDriver {
  return {
    async call(call) {
      const { action, signal } = call;
      const operation = operations[`${action.charAt(0).toUpperCase()}${action.slice(1)}`];
      if (!operation) throw noSuchAction(call.service, action);
      try {
        const request = renamed(parametersOf(call), (name) => lowerFirst(name));
        const answer: unknown = JSON.parse(JSON.stringify(await operation(api(), request, signal)));
        return renamed(answer as Json, (name) => upperFirst(name));
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const name = error.code.endsWith('Exception') ? error.code : `${error.code}Exception`;
        throw new TaskError(
          `Sfn.${name}`,
          `${error.message} (Service: Sfn, Status Code: ${error.httpStatus}, Request ID: ${randomUUID()}) (SDK Attempt Count: 1)`,
        );
      }
    },
  };
}

function noSuchAction(service: string, action: string): TaskError {
  return new TaskError('States.Runtime', `The service '${service}' has no action '${action}'.`);
}

/** Step Functions spells the members of every service with a capital, their own model may not. */
function renamed(value: Json, rename: (name: string) => string): Json {
  if (Array.isArray(value)) return value.map((each) => renamed(each, rename));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [rename(name), renamed(each, rename)]),
  );
}

const lowerFirst = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);
const upperFirst = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
