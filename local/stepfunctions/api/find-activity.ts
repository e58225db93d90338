import type { ActivityRow } from '../store/activities.ts';
import { ApiError } from './api-error.ts';
import { checkArn } from './check-arn.ts';
import type { Api } from './operation.ts';

/** Throws ActivityDoesNotExist. */
export function findActivity({ store }: Api, arn: string): ActivityRow {
  checkArn(arn, 'activity');
  const activity = store.activities.find(arn);
  if (!activity) {
    throw new ApiError('ActivityDoesNotExist', `Activity Does Not Exist: '${arn}'`);
  }
  return activity;
}
