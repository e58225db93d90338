import { ApiError } from '../api-error.ts';
import { checkName } from '../check-name.ts';
import { checkRouting } from '../check-routing.ts';
import * as field from '../fields.ts';
import { operation } from '../operation.ts';
import { optional, structure } from '../shape.ts';
import { toSeconds } from '../timestamp.ts';

const shape = structure({
  name: field.name,
  description: optional(field.description),
  routingConfiguration: field.routingConfiguration,
});

const MAX_ALIASES = 100;

/** Idempotent for the same name, description and routing. */
export const createStateMachineAlias = operation(shape, (api, request) => {
  const { name, description, routingConfiguration: routing } = request;
  checkName(name);
  if (/^\d+$/.test(name)) throw new ApiError('ValidationException', `Invalid Name: '${name}'`);
  const machineArn = checkRouting(api, routing);
  const arn = `${machineArn}:${name}`;
  const { machines } = api.store;
  const present = machines.alias(arn);
  const answer = (createdAt: number): object => ({
    stateMachineAliasArn: arn,
    creationDate: toSeconds(createdAt),
  });
  if (present) {
    const same =
      present.description === description &&
      JSON.stringify(present.routing) === JSON.stringify(routing);
    if (same) return answer(present.createdAt);
    throw new ApiError(
      'ConflictException',
      'Failed to create alias because an alias with the same name and a different routing configuration already exists.',
    );
  }
  if (machines.aliases(machineArn).length >= MAX_ALIASES) {
    throw new ApiError(
      'ServiceQuotaExceededException',
      `A state machine can have at most ${MAX_ALIASES} aliases.`,
    );
  }
  const createdAt = api.clock.now();
  api.store.commits.atomically(() =>
    machines.putAlias({
      arn,
      machineArn,
      name,
      ...(description !== undefined && { description }),
      routing,
      createdAt,
      updatedAt: createdAt,
    }),
  );
  return answer(createdAt);
});
