import { ApiError } from '../api-error.ts';
import * as field from '../fields.ts';
import { findMachine } from '../find-machine.ts';
import { operation } from '../operation.ts';
import { publishVersion } from '../publish-version.ts';
import { optional, structure } from '../shape.ts';
import { toSeconds } from '../timestamp.ts';

const shape = structure({
  stateMachineArn: field.arn,
  revisionId: optional(field.revisionId),
  description: optional(field.description),
});

export const publishStateMachineVersion = operation(shape, (api, request) => {
  const machine = findMachine(api, request.stateMachineArn);
  const { revisionId } = api.store.machines.revision(machine.revision);
  if (request.revisionId !== undefined && request.revisionId !== (revisionId ?? 'INITIAL')) {
    throw new ApiError(
      'ConflictException',
      `Failed to publish the State Machine version for revision ${request.revisionId}. The current State Machine revision is ${revisionId ?? 'INITIAL'}.`,
    );
  }
  const version = api.store.commits.atomically(() =>
    publishVersion(api, machine.arn, machine.revision, request.description),
  );
  return {
    creationDate: toSeconds(version.createdAt),
    stateMachineVersionArn: version.arn,
  };
});
