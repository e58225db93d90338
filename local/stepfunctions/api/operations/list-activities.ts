import * as field from '../fields.ts';
import { operation } from '../operation.ts';
import { cutPage, readPage } from '../paging.ts';
import { optional, structure } from '../shape.ts';
import { toSeconds } from '../timestamp.ts';

const shape = structure({
  maxResults: optional(field.maxResults),
  nextToken: optional(field.pageToken),
});

export const listActivities = operation(shape, ({ store, clock }, request) => {
  const now = clock.now();
  const page = readPage(request, 'activities', now);
  const rows = store.activities.list(page.limit + 1, page.offset);
  const { items, nextToken } = cutPage(rows, page, 'activities', now);
  return {
    activities: items.map(({ arn, name, createdAt }) => ({
      activityArn: arn,
      name,
      creationDate: toSeconds(createdAt),
    })),
    ...(nextToken !== undefined && { nextToken }),
  };
});
