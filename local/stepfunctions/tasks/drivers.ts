import type { Api } from '../api/operation.ts';
import type { DriverLookup } from '../runtime/task-runner.ts';
import { createLambdaClient } from './invoke-lambda.ts';
import { lambdaFunctionDriver, lambdaInvokeDriver } from './lambda-function.ts';
import { startExecutionDriver } from './start-execution.ts';
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
  /** The engine itself, for `states:startExecution`; called when a task is. */
  readonly api: () => Api;
};

/** The integrations this engine has, by `service:action`. A new one is a driver and a line here. */
export function createDriverLookup({ endpoints, api }: DriverDependencies): DriverLookup {
  const lambda = createLambdaClient(endpoints.lambda ?? DEFAULT_LAMBDA_ENDPOINT);
  const plainFunction = lambdaFunctionDriver(lambda);
  const drivers = new Map<string, TaskDriver>([
    ['lambda:invoke', lambdaInvokeDriver(lambda)],
    ['states:startExecution', startExecutionDriver(api)],
  ]);
  return (service, action) =>
    service === 'lambda-function' ? plainFunction : drivers.get(`${service}:${action}`);
}
