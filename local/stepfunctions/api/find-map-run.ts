import type { MapRunRow } from '../store/map-runs.ts';
import { ApiError } from './api-error.ts';
import { checkArn } from './check-arn.ts';
import type { Api } from './operation.ts';

/** Throws ResourceNotFound. */
export function findMapRun({ store }: Api, arn: string): MapRunRow {
  checkArn(arn, 'mapRun');
  const run = store.mapRuns.find(arn);
  if (!run) {
    throw new ApiError('ResourceNotFound', `Resource not found: '${arn}'`, { resourceName: arn });
  }
  return run;
}
