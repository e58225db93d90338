import { activityArn } from '../../arn.ts';
import { ApiError } from '../api-error.ts';
import { checkName } from '../check-name.ts';
import { checkTags } from '../check-tags.ts';
import * as field from '../fields.ts';
import { operation } from '../operation.ts';
import { optional, structure } from '../shape.ts';
import { toSeconds } from '../timestamp.ts';

const shape = structure({
  name: field.name,
  tags: optional(field.tags),
  encryptionConfiguration: optional(field.encryptionConfiguration),
});

/** Idempotent by name; other tags are ignored. */
export const createActivity = operation(shape, (api, request) => {
  const { name, tags = [], encryptionConfiguration } = request;
  const arn = activityArn(api.locality, checkName(name));
  checkTags(arn, tags);
  const encryption = encryptionConfiguration && JSON.stringify(encryptionConfiguration);
  const present = api.store.activities.find(arn);
  if (present) {
    if (present.encryption !== encryption) {
      throw new ApiError('ActivityAlreadyExists', `Activity Already Exists: '${arn}'`);
    }
    return { activityArn: arn, creationDate: toSeconds(present.createdAt) };
  }
  const createdAt = api.clock.now();
  api.store.commits.atomically(() => {
    api.store.activities.insert({
      arn,
      name,
      createdAt,
      ...(encryption !== undefined && { encryption }),
    });
    api.store.tags.put(arn, tags);
  });
  return { activityArn: arn, creationDate: toSeconds(createdAt) };
});
