import { ApiError } from '../api-error.ts';
import { checkArn } from '../check-arn.ts';
import { operation } from '../operation.ts';
import { structure } from '../shape.ts';
import * as field from '../fields.ts';

const shape = structure({ stateMachineVersionArn: field.longArn });

export const deleteStateMachineVersion = operation(
  shape,
  (api, { stateMachineVersionArn: arn }) => {
    const { parts } = checkArn(arn, 'stateMachine');
    if (!/^\d+$/.test(parts[1] ?? '')) {
      throw new ApiError('InvalidArn', `Invalid Arn: 'Invalid ARN: ${arn}'`);
    }
    const { machines } = api.store;
    const version = machines.version(arn);
    if (!version) return {};
    const users = machines
      .aliases(version.machineArn)
      .filter(({ routing }) => routing.some((each) => each.stateMachineVersionArn === arn))
      .map(({ name }) => name);
    if (users.length > 0) {
      throw new ApiError(
        'ConflictException',
        `Version to be deleted must not be referenced by an alias. Current list of aliases referencing this version: [${users.join(', ')}]`,
      );
    }
    api.store.commits.atomically(() => machines.removeVersion(arn));
    return {};
  },
);
