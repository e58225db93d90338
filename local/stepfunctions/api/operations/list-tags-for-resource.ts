import { checkTaggable } from '../check-taggable.ts';
import * as field from '../fields.ts';
import { operation } from '../operation.ts';
import { structure } from '../shape.ts';

const shape = structure({ resourceArn: field.arn });

export const listTagsForResource = operation(shape, (api, { resourceArn }) => {
  checkTaggable(api, resourceArn);
  return { tags: api.store.tags.list(resourceArn) };
});
