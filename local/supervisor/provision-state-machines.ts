import {
  CreateStateMachineCommand,
  DescribeStateMachineCommand,
  type SFNClient,
  StateMachineDoesNotExist,
  UpdateStateMachineCommand,
} from '@aws-sdk/client-sfn';
import { functionNameOf, stateMachineNameOf } from '../../statemachines/job-type.ts';
import { type Registry, resolveDefinition } from '../../statemachines/registry.ts';
import { functionArn } from '../lambda/function-name.ts';
import { ACCOUNT, REGION, STATE_MACHINE_ARN_PREFIX } from './addresses.ts';

const ROLE_ARN = `arn:aws:iam::${ACCOUNT}:role/pawl-local`;

/** Makes the state machine of every job type, and updates those whose definition has changed. */
export async function provisionStateMachines(sfn: SFNClient, registry: Registry): Promise<void> {
  for (const jobType of registry.values()) {
    const definition = resolveDefinition(jobType, (task) =>
      functionArn(REGION, functionNameOf(task)),
    );
    const arn = `${STATE_MACHINE_ARN_PREFIX}${jobType.type}`;
    const current = await definitionOf(sfn, arn);
    if (current === undefined) {
      const name = stateMachineNameOf(jobType.type);
      await sfn.send(new CreateStateMachineCommand({ name, definition, roleArn: ROLE_ARN }));
    } else if (current !== definition) {
      await sfn.send(new UpdateStateMachineCommand({ stateMachineArn: arn, definition }));
    }
  }
}

async function definitionOf(sfn: SFNClient, stateMachineArn: string): Promise<string | undefined> {
  try {
    return (await sfn.send(new DescribeStateMachineCommand({ stateMachineArn }))).definition;
  } catch (error) {
    if (error instanceof StateMachineDoesNotExist) return undefined;
    throw error;
  }
}
