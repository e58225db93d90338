import { ownerArn } from '../../execution/map-run-arn.ts';
import { variableReferences } from '../../definition/variable-references.ts';
import * as field from '../fields.ts';
import { findExecution } from '../find-execution.ts';
import { describedConfiguration } from '../machine-configuration.ts';
import { operation } from '../operation.ts';
import { optional, structure } from '../shape.ts';
import { toSeconds } from '../timestamp.ts';

const shape = structure({
  executionArn: field.arn,
  includedData: optional(field.includedData),
});

/** The machine as it was when the execution started, also after it has been updated or deleted. */
export const describeStateMachineForExecution = operation(shape, (api, { executionArn }) => {
  const row = findExecution(api, executionArn);
  const revision = api.store.machines.revision(row.revision);
  // …:stateMachine:NAME, or NAME/LABEL for a child of a Map Run
  const [name, label] = (row.machineArn.split(':').at(6) ?? '').split('/');
  const references = variableReferences(api.machines.get(row.revision));
  return {
    stateMachineArn: ownerArn(row.machineArn),
    name,
    ...(label !== undefined && { label }),
    definition: revision.definition,
    roleArn: revision.roleArn,
    updateDate: toSeconds(revision.updatedAt),
    ...describedConfiguration(revision),
    ...(row.mapRunArn !== undefined && { mapRunArn: row.mapRunArn }),
    ...(revision.revisionId !== undefined && { revisionId: revision.revisionId }),
    ...(references && { variableReferences: references }),
  };
});
