import { ArnFormat, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { stateMachineNameOf } from '../../statemachines/job-type.ts';

/** The ARNs of Pawl's state machines and executions, all of which begin with `pawl-`. */
export type StatesArns = {
  /** A job type is put behind it. */
  readonly machinePrefix: string;
  readonly machines: string;
  /** RedriveExecution and its like are asked about executions, not about machines. */
  readonly executions: string;
  /** Whose children ListExecutions is asked for. */
  readonly mapRuns: string;
  /** Express children of Map Runs. */
  readonly children: string;
};

export function statesArns(scope: Construct): StatesArns {
  const arnOf = (resource: string, resourceName: string): string =>
    Stack.of(scope).formatArn({
      service: 'states',
      resource,
      resourceName,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
  const prefix = stateMachineNameOf('');
  return {
    machinePrefix: arnOf('stateMachine', prefix),
    machines: arnOf('stateMachine', `${prefix}*`),
    executions: arnOf('execution', `${prefix}*:*`),
    mapRuns: arnOf('mapRun', `${prefix}*/*:*`),
    children: arnOf('express', `${prefix}*/*:*`),
  };
}
