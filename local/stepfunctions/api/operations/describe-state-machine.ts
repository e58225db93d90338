import { variableReferences } from '../../definition/variable-references.ts';
import * as field from '../fields.ts';
import { resolveMachine } from '../find-machine.ts';
import { describedConfiguration } from '../machine-configuration.ts';
import { operation } from '../operation.ts';
import { optional, structure } from '../shape.ts';
import { toSeconds } from '../timestamp.ts';

const shape = structure({
  stateMachineArn: field.arn,
  includedData: optional(field.includedData),
});

export const describeStateMachine = operation(shape, (api, { stateMachineArn }) => {
  const { machine, revision, versionArn, versionDescription } = resolveMachine(
    api,
    stateMachineArn,
  );
  const found = api.store.machines.revision(revision);
  const references = variableReferences(api.machines.get(revision));
  const version = versionArn === undefined ? undefined : api.store.machines.version(versionArn);
  return {
    stateMachineArn: versionArn ?? machine.arn,
    name: machine.name,
    status: machine.deleting ? 'DELETING' : 'ACTIVE',
    definition: found.definition,
    roleArn: found.roleArn,
    type: machine.type,
    creationDate: toSeconds(version?.createdAt ?? machine.createdAt),
    ...describedConfiguration(found),
    ...(found.revisionId !== undefined && { revisionId: found.revisionId }),
    ...(versionDescription !== undefined && { description: versionDescription }),
    ...(references && { variableReferences: references }),
  };
});
