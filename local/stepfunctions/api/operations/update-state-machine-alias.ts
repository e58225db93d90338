import { ApiError } from '../api-error.ts';
import { checkRouting } from '../check-routing.ts';
import * as field from '../fields.ts';
import { findAlias } from '../find-alias.ts';
import { operation } from '../operation.ts';
import { optional, structure } from '../shape.ts';
import { toSeconds } from '../timestamp.ts';

const shape = structure({
  stateMachineAliasArn: field.arn,
  description: optional(field.description),
  routingConfiguration: optional(field.routingConfiguration),
});

export const updateStateMachineAlias = operation(shape, (api, request) => {
  const { description, routingConfiguration: routing } = request;
  const alias = findAlias(api, request.stateMachineAliasArn);
  if (description === undefined && routing === undefined) {
    throw new ApiError(
      'ValidationException',
      'Either the description or the routing configuration must be specified',
    );
  }
  if (routing && checkRouting(api, routing) !== alias.machineArn) {
    throw new ApiError(
      'ValidationException',
      `Routing configuration must contain versions of the alias's state machine: ${alias.machineArn}`,
    );
  }
  const updatedAt = api.clock.now();
  api.store.commits.atomically(() =>
    api.store.machines.putAlias({
      ...alias,
      ...(description !== undefined && { description }),
      ...(routing && { routing }),
      updatedAt,
    }),
  );
  return { updateDate: toSeconds(updatedAt) };
});
