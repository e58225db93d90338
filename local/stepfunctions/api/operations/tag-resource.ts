import { checkTaggable } from '../check-taggable.ts';
import { checkTags } from '../check-tags.ts';
import * as field from '../fields.ts';
import { operation } from '../operation.ts';
import { structure } from '../shape.ts';

const shape = structure({ resourceArn: field.arn, tags: field.tags });

export const tagResource = operation(shape, (api, { resourceArn, tags }) => {
  checkTaggable(api, resourceArn);
  checkTags(resourceArn, [...api.store.tags.list(resourceArn), ...tags]);
  api.store.commits.atomically(() => api.store.tags.put(resourceArn, tags));
  return {};
});
