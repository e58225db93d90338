import * as field from '../fields.ts';
import { findAlias } from '../find-alias.ts';
import { operation } from '../operation.ts';
import { structure } from '../shape.ts';
import { toSeconds } from '../timestamp.ts';

const shape = structure({ stateMachineAliasArn: field.arn });

export const describeStateMachineAlias = operation(shape, (api, { stateMachineAliasArn }) => {
  const alias = findAlias(api, stateMachineAliasArn);
  return {
    stateMachineAliasArn: alias.arn,
    name: alias.name,
    ...(alias.description !== undefined && { description: alias.description }),
    routingConfiguration: alias.routing,
    creationDate: toSeconds(alias.createdAt),
    updateDate: toSeconds(alias.updatedAt),
  };
});
