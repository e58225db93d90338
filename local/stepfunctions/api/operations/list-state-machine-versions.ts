import * as field from '../fields.ts';
import { findMachine } from '../find-machine.ts';
import { operation } from '../operation.ts';
import { cutPage, readPage } from '../paging.ts';
import { optional, structure } from '../shape.ts';
import { toSeconds } from '../timestamp.ts';

const shape = structure({
  stateMachineArn: field.arn,
  nextToken: optional(field.pageToken),
  maxResults: optional(field.maxResults),
});

export const listStateMachineVersions = operation(shape, (api, request) => {
  const machine = findMachine(api, request.stateMachineArn);
  const now = api.clock.now();
  const scope = `versions ${machine.arn}`;
  const page = readPage(request, scope, now);
  const rows = api.store.machines.versions(machine.arn, page.limit + 1, page.offset);
  const { items, nextToken } = cutPage(rows, page, scope, now);
  return {
    stateMachineVersions: items.map(({ arn, createdAt }) => ({
      stateMachineVersionArn: arn,
      creationDate: toSeconds(createdAt),
    })),
    ...(nextToken !== undefined && { nextToken }),
  };
});
