import { randomUUID } from 'node:crypto';
import { ApiError } from '../api-error.ts';
import { checkDefinition } from '../check-definition.ts';
import * as field from '../fields.ts';
import { findMachine } from '../find-machine.ts';
import { checkConfiguration, configurationTexts } from '../machine-configuration.ts';
import { operation } from '../operation.ts';
import { publishVersion } from '../publish-version.ts';
import { flag, optional, structure } from '../shape.ts';
import { toSeconds } from '../timestamp.ts';

const shape = structure({
  stateMachineArn: field.arn,
  definition: optional(field.definition),
  roleArn: optional(field.arn),
  loggingConfiguration: optional(field.loggingConfiguration),
  tracingConfiguration: optional(field.tracingConfiguration),
  encryptionConfiguration: optional(field.encryptionConfiguration),
  publish: optional(flag),
  versionDescription: optional(field.description),
});

/** What differs from the present revision makes a new one; nothing new leaves the revision as it is. */
export const updateStateMachine = operation(shape, (api, request) => {
  const { store, clock } = api;
  const { publish = false, versionDescription } = request;
  const machine = findMachine(api, request.stateMachineArn);
  if (machine.deleting) {
    throw new ApiError('StateMachineDeleting', `State Machine Deleting: '${machine.arn}'`);
  }
  const {
    definition,
    roleArn,
    loggingConfiguration,
    tracingConfiguration,
    encryptionConfiguration,
  } = request;
  if (
    !definition &&
    !roleArn &&
    !loggingConfiguration &&
    !tracingConfiguration &&
    !encryptionConfiguration
  ) {
    throw new ApiError(
      'ValidationException',
      'Either the definition, the role ARN, the LoggingConfiguration, the TracingConfiguration, or the EncryptionConfiguration must be specified',
      { reason: 'MISSING_REQUIRED_PARAMETER' },
    );
  }
  if (versionDescription !== undefined && !publish) {
    throw new ApiError(
      'ValidationException',
      'Version description can only be set when publish is true',
    );
  }
  checkConfiguration(request);
  if (definition !== undefined) checkDefinition(definition, machine.type);

  return store.commits.atomically(() => {
    const present = store.machines.revision(machine.revision);
    const next = {
      definition: definition ?? present.definition,
      roleArn: roleArn ?? present.roleArn,
      ...configurationTexts(request, present),
    };
    const unchanged =
      next.definition === present.definition &&
      next.roleArn === present.roleArn &&
      next.logging === present.logging &&
      next.tracing === present.tracing &&
      next.encryption === present.encryption;
    const updatedAt = clock.now();
    let revision = machine.revision;
    let revisionId = present.revisionId;
    if (!unchanged) {
      revisionId = randomUUID();
      revision = store.machines.insertRevision(machine.arn, { ...next, revisionId, updatedAt });
      store.machines.setRevision(machine.arn, revision);
    }
    const version = publish
      ? publishVersion(api, machine.arn, revision, versionDescription)
      : undefined;
    return {
      updateDate: toSeconds(updatedAt),
      ...(revisionId !== undefined && { revisionId }),
      ...(version && { stateMachineVersionArn: version.arn }),
    };
  });
});
