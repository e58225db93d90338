import type { Api } from '../api/operation.ts';
import type { DriverLookup } from '../runtime/task-runner.ts';
import { createLambdaClient } from './invoke-lambda.ts';
import { lambdaFunctionDriver, lambdaInvokeDriver } from './lambda-function.ts';
import { startExecutionDriver } from './start-execution.ts';
import { sendMessageDriver } from './send-message.ts';
import { awsSdkDriver, ownApiDriver } from './aws-sdk-integration.ts';
import { createSdkCaller } from './aws-sdk-client.ts';
import { publishDriver } from './publish-message.ts';
import { putEventsDriver } from './put-events.ts';
import type { TaskDriver } from './task-call.ts';

/** Addresses of the services that tasks call. */
export type TaskEndpoints = {
  readonly lambda?: string;
  readonly eventbridge?: string;
  readonly sqs?: string;
  readonly sns?: string;
  readonly s3?: string;
};

const DEFAULT_LAMBDA_ENDPOINT = 'http://127.0.0.1:9071';

type DriverDependencies = {
  readonly endpoints: TaskEndpoints;
  readonly region: string;
  /** The engine itself, for `states:startExecution`; called when a task is. */
  readonly api: () => Api;
};

/** The integrations this engine has. A new one is a driver and a line here. */
export function createDriverLookup({ endpoints, region, api }: DriverDependencies): DriverLookup {
  const lambda = createLambdaClient(endpoints.lambda ?? DEFAULT_LAMBDA_ENDPOINT);
  const sdk = createSdkCaller(endpoints, region);
  const drivers = new Map<string, TaskDriver>([
    ['lambda:invoke', lambdaInvokeDriver(lambda)],
    ['states:startExecution', startExecutionDriver(api)],
    ['sqs:sendMessage', sendMessageDriver(sdk)],
    ['sns:publish', publishDriver(endpoints.sns)],
    ['events:putEvents', putEventsDriver(sdk)],
  ]);
  /** These take every action of their service. */
  const services = new Map<string, TaskDriver>([
    ['lambda-function', lambdaFunctionDriver(lambda)],
    ['aws-sdk:sfn', ownApiDriver(api)],
    ['aws-sdk:s3', awsSdkDriver(sdk, 's3')],
    ['aws-sdk:sqs', awsSdkDriver(sdk, 'sqs')],
    ['aws-sdk:eventbridge', awsSdkDriver(sdk, 'eventbridge')],
  ]);
  return (service, action) => drivers.get(`${service}:${action}`) ?? services.get(service);
}
