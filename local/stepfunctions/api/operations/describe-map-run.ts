import * as field from '../fields.ts';
import { findMapRun } from '../find-map-run.ts';
import { mapRunCounts } from '../map-run-counts.ts';
import { operation } from '../operation.ts';
import { structure } from '../shape.ts';
import { toSeconds } from '../timestamp.ts';

const shape = structure({ mapRunArn: field.longArn });

export const describeMapRun = operation(shape, (api, { mapRunArn }) => {
  const run = findMapRun(api, mapRunArn);
  return {
    mapRunArn: run.arn,
    executionArn: api.store.executions.get(run.execution)?.arn ?? '',
    status: run.status,
    startDate: toSeconds(run.startedAt),
    ...(run.stoppedAt !== undefined && { stopDate: toSeconds(run.stoppedAt) }),
    maxConcurrency: run.maxConcurrency,
    toleratedFailurePercentage: run.toleratedFailurePercentage ?? 0,
    toleratedFailureCount: run.toleratedFailureCount ?? 0,
    ...mapRunCounts(api, run),
    redriveCount: run.redriveCount,
    ...(run.redrivenAt !== undefined && { redriveDate: toSeconds(run.redrivenAt) }),
  };
});
