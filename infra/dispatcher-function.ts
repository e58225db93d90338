import { Duration, type Stack } from 'aws-cdk-lib';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import { assertComplete } from './environment.ts';
import { liveAlias, type OrchestrationInputs } from './orchestration-stack.ts';
import { dispatcherStatements } from './permissions/service-permissions.ts';
import { statesArns } from './permissions/states-arns.ts';
import { dispatcherConcurrency, dispatcherTimeoutSeconds } from './stages.ts';
import { pawlFunction } from './task-function.ts';

/** The name under which the bundles hold it. */
export const dispatcherBundle = 'dispatch';

/** Connections of one environment, which works on a batch of ten at a time. */
const poolSize = 4;

/** Receives job requests in the worker's stead, for a stage that says so. */
export function dispatcherFunction(stack: Stack, inputs: OrchestrationInputs): lambda.Function {
  const { stage, network, data, messaging, registry, bundles } = inputs;
  const bundle = bundles.get(dispatcherBundle);
  if (bundle === undefined) throw new Error('the dispatcher was not bundled');
  const { queue } = messaging.jobRequests;
  const arns = statesArns(stack);
  const dispatcher = pawlFunction(stack, 'Dispatcher', {
    stage,
    network,
    group: network.groups.tasks,
    functionName: 'pawl-dispatch',
    description: 'Starts, redrives and stops executions as job requests ask',
    bundle,
    timeoutSeconds: dispatcherTimeoutSeconds,
    memoryMb: 512,
    // Reserved, because without its share of the account's concurrency messages would be received for nothing.
    concurrency: dispatcherConcurrency,
    environment: assertComplete('dispatcher', {
      LOG_LEVEL: 'info',
      DATABASE_URL: data.taskUrl,
      DATABASE_AUTHENTICATION: 'iam',
      DATABASE_POOL_SIZE: String(poolSize),
      JOB_REQUESTS_QUEUE_URL: queue.queueUrl,
      STATE_MACHINE_ARN_PREFIX: arns.machinePrefix,
      STATE_MACHINE_ALIAS: liveAlias,
      STARTS_PER_SECOND: String(Math.floor(stage.startsPerSecond / dispatcherConcurrency)),
      JOB_TYPE_TIMEOUTS: [...registry.values()]
        .map(({ type, timeoutSeconds }) => `${type}=${timeoutSeconds}`)
        .join(','),
    }),
  });
  data.grantTaskLogin(dispatcher);
  for (const statement of dispatcherStatements(messaging, arns)) {
    dispatcher.addToRolePolicy(statement);
  }
  // Not an SqsEventSource, which would grant the function more than it uses.
  dispatcher.addEventSourceMapping('JobRequests', {
    eventSourceArn: queue.queueArn,
    batchSize: 10,
    maxBatchingWindow: Duration.seconds(0),
    maxConcurrency: dispatcherConcurrency,
    reportBatchItemFailures: true,
  });
  return dispatcher;
}
