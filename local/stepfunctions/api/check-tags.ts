import type { Tag } from '../store/tags.ts';
import { ApiError } from './api-error.ts';

const MAX_TAGS = 50;

/** At most 50 tags a resource. https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html */
export function checkTags(resourceArn: string, tags: readonly Tag[]): void {
  if (new Set(tags.map(({ key }) => key)).size <= MAX_TAGS) return;
  throw new ApiError('TooManyTags', `A resource can have at most ${MAX_TAGS} tags.`, {
    resourceName: resourceArn,
  });
}
