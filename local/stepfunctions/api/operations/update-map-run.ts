import { ApiError } from '../api-error.ts';
import * as field from '../fields.ts';
import { findMapRun } from '../find-map-run.ts';
import { operation } from '../operation.ts';
import { integer, number, optional, structure } from '../shape.ts';

const shape = structure({
  mapRunArn: field.longArn,
  maxConcurrency: optional(integer({ min: 0 })),
  toleratedFailurePercentage: optional(number({ min: 0, max: 100 })),
  toleratedFailureCount: optional(integer({ min: 0 })),
});

/** Changes what a Map Run in progress may do; it holds from then on. */
export const updateMapRun = operation(shape, (api, request) => {
  const run = findMapRun(api, request.mapRunArn);
  if (run.status !== 'RUNNING') {
    throw new ApiError('ValidationException', `Map Run ${run.arn} is ${run.status}, not RUNNING`);
  }
  const { maxConcurrency, toleratedFailureCount, toleratedFailurePercentage } = request;
  const count = toleratedFailureCount ?? run.toleratedFailureCount;
  const percentage = toleratedFailurePercentage ?? run.toleratedFailurePercentage;
  const limits = {
    maxConcurrency: maxConcurrency ?? run.maxConcurrency,
    ...(count !== undefined && { toleratedFailureCount: count }),
    ...(percentage !== undefined && { toleratedFailurePercentage: percentage }),
  };
  api.store.commits.atomically(() => api.store.mapRuns.setLimits(run.arn, limits));
  api.mapRuns.setLimits(run.arn, limits);
  return {};
});
