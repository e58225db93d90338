import * as field from '../fields.ts';
import { operation } from '../operation.ts';
import { cutPage, readPage } from '../paging.ts';
import { optional, structure } from '../shape.ts';
import { toSeconds } from '../timestamp.ts';

const shape = structure({
  maxResults: optional(field.maxResults),
  nextToken: optional(field.pageToken),
});

export const listStateMachines = operation(shape, ({ store, clock }, request) => {
  const now = clock.now();
  const page = readPage(request, 'machines', now);
  const rows = store.machines.machines(page.limit + 1, page.offset);
  const { items, nextToken } = cutPage(rows, page, 'machines', now);
  return {
    stateMachines: items.map(({ arn, name, type, createdAt }) => ({
      stateMachineArn: arn,
      name,
      type,
      creationDate: toSeconds(createdAt),
    })),
    ...(nextToken !== undefined && { nextToken }),
  };
});
