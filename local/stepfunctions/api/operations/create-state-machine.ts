import { machineArn } from '../../arn.ts';
import { ApiError } from '../api-error.ts';
import { checkName } from '../check-name.ts';
import { checkConfiguration, configurationTexts } from '../machine-configuration.ts';
import { checkDefinition } from '../check-definition.ts';
import * as field from '../fields.ts';
import { operation } from '../operation.ts';
import { publishVersion } from '../publish-version.ts';
import { flag, optional, structure } from '../shape.ts';
import { checkTags } from '../check-tags.ts';
import { toSeconds } from '../timestamp.ts';

const shape = structure({
  name: field.name,
  definition: field.definition,
  roleArn: field.arn,
  type: optional(field.machineType),
  loggingConfiguration: optional(field.loggingConfiguration),
  tracingConfiguration: optional(field.tracingConfiguration),
  encryptionConfiguration: optional(field.encryptionConfiguration),
  tags: optional(field.tags),
  publish: optional(flag),
  versionDescription: optional(field.description),
});

/**
 * Idempotent: the same name, definition, type and configuration answer the first creation again;
 * another role or other tags are ignored.
 * https://docs.aws.amazon.com/step-functions/latest/apireference/API_CreateStateMachine.html
 */
export const createStateMachine = operation(shape, (api, request) => {
  const { store, clock, locality } = api;
  const { name, definition, publish = false, versionDescription, tags = [] } = request;
  checkName(name);
  if (versionDescription !== undefined && !publish) {
    throw new ApiError(
      'ValidationException',
      'Version description can only be set when publish is true',
    );
  }
  const type = request.type ?? 'STANDARD';
  checkConfiguration(request);
  checkDefinition(definition, type);
  const arn = machineArn(locality, name);
  checkTags(arn, tags);
  const texts = configurationTexts(request);

  return store.commits.atomically(() => {
    const present = store.machines.machine(arn);
    if (present?.deleting) {
      throw new ApiError('StateMachineDeleting', `State Machine Deleting: '${arn}'`);
    }
    let revision = present?.revision;
    if (present && revision !== undefined) {
      const first = store.machines.revision(revision);
      const same =
        first.definition === definition &&
        present.type === type &&
        first.logging === texts.logging &&
        first.tracing === texts.tracing &&
        first.encryption === texts.encryption;
      if (!same) {
        throw new ApiError('StateMachineAlreadyExists', `State Machine Already Exists: '${arn}'`);
      }
    } else {
      const createdAt = clock.now();
      revision = store.machines.insertRevision(arn, {
        definition,
        roleArn: request.roleArn,
        ...texts,
        updatedAt: createdAt,
      });
      store.machines.insertMachine({ arn, name, type, revision, createdAt });
      store.tags.put(arn, tags);
    }
    const version = publish ? publishVersion(api, arn, revision, versionDescription) : undefined;
    return {
      stateMachineArn: arn,
      creationDate: toSeconds(present?.createdAt ?? store.machines.revision(revision).updatedAt),
      ...(version && { stateMachineVersionArn: version.arn }),
    };
  });
});
