import * as field from '../fields.ts';
import { findActivity } from '../find-activity.ts';
import { operation } from '../operation.ts';
import { structure } from '../shape.ts';
import { toSeconds } from '../timestamp.ts';

const shape = structure({ activityArn: field.arn });

export const describeActivity = operation(shape, (api, { activityArn }) => {
  const { arn, name, createdAt, encryption } = findActivity(api, activityArn);
  return {
    activityArn: arn,
    name,
    creationDate: toSeconds(createdAt),
    encryptionConfiguration:
      encryption === undefined ? { type: 'AWS_OWNED_KEY' } : JSON.parse(encryption),
  };
});
