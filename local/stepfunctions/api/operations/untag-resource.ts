import { checkTaggable } from '../check-taggable.ts';
import * as field from '../fields.ts';
import { operation } from '../operation.ts';
import { list, structure, text } from '../shape.ts';

const shape = structure({
  resourceArn: field.arn,
  tagKeys: list(text({ min: 1, max: 128 })),
});

export const untagResource = operation(shape, (api, { resourceArn, tagKeys }) => {
  checkTaggable(api, resourceArn);
  api.store.commits.atomically(() => api.store.tags.remove(resourceArn, tagKeys));
  return {};
});
