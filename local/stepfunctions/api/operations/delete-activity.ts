import { checkArn } from '../check-arn.ts';
import * as field from '../fields.ts';
import { operation } from '../operation.ts';
import { structure } from '../shape.ts';

const shape = structure({ activityArn: field.arn });

export const deleteActivity = operation(shape, (api, { activityArn }) => {
  checkArn(activityArn, 'activity');
  api.store.commits.atomically(() => {
    api.store.activities.remove(activityArn);
    api.store.tags.removeAll(activityArn);
  });
  return {};
});
