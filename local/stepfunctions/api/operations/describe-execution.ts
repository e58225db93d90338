import * as field from '../fields.ts';
import { findDescribable, inputOf } from '../find-execution.ts';
import { operation } from '../operation.ts';
import { redriveStatus } from '../redrive-status.ts';
import { optional, structure } from '../shape.ts';
import { toSeconds } from '../timestamp.ts';

const shape = structure({
  executionArn: field.arn,
  includedData: optional(field.includedData),
});

export const describeExecution = operation(shape, (api, { executionArn, includedData }) => {
  const row = findDescribable(api, executionArn);
  const withData = includedData !== 'METADATA_ONLY';
  const redrive = redriveStatus(api, row);
  return {
    executionArn: row.arn,
    stateMachineArn: row.machineArn,
    name: row.name,
    status: row.status,
    startDate: toSeconds(row.startedAt),
    ...(row.stoppedAt !== undefined && { stopDate: toSeconds(row.stoppedAt) }),
    ...(withData && { input: inputOf(api, row) }),
    inputDetails: { included: withData },
    ...(row.output !== undefined && {
      ...(withData && { output: row.output }),
      outputDetails: { included: withData },
    }),
    ...(row.mapRunArn !== undefined && { mapRunArn: row.mapRunArn }),
    ...(withData && row.error !== undefined && { error: row.error }),
    ...(withData && row.cause !== undefined && { cause: row.cause }),
    ...(row.traceHeader !== undefined && { traceHeader: row.traceHeader }),
    ...(row.versionArn !== undefined && { stateMachineVersionArn: row.versionArn }),
    ...(row.aliasArn !== undefined && { stateMachineAliasArn: row.aliasArn }),
    redriveCount: row.redriveCount,
    ...(row.redrivenAt !== undefined && { redriveDate: toSeconds(row.redrivenAt) }),
    redriveStatus: redrive.status,
    ...('reason' in redrive && { redriveStatusReason: redrive.reason }),
  };
});
