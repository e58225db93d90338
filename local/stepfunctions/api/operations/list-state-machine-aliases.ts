import * as field from '../fields.ts';
import { resolveMachine } from '../find-machine.ts';
import { operation } from '../operation.ts';
import { cutPage, readPage } from '../paging.ts';
import { optional, structure } from '../shape.ts';
import { toSeconds } from '../timestamp.ts';

const shape = structure({
  stateMachineArn: field.arn,
  nextToken: optional(field.pageToken),
  maxResults: optional(field.maxResults),
});

/** The aliases of a machine; of a version's ARN, those that route to it. */
export const listStateMachineAliases = operation(shape, (api, request) => {
  const { machine, versionArn } = resolveMachine(api, request.stateMachineArn);
  const now = api.clock.now();
  const scope = `aliases ${request.stateMachineArn}`;
  const page = readPage(request, scope, now);
  const rows = api.store.machines
    .aliases(machine.arn)
    .filter(
      ({ routing }) =>
        versionArn === undefined ||
        routing.some(({ stateMachineVersionArn }) => stateMachineVersionArn === versionArn),
    );
  const wanted = rows.slice(page.offset, page.offset + page.limit + 1);
  const { items, nextToken } = cutPage(wanted, page, scope, now);
  return {
    stateMachineAliases: items.map(({ arn, createdAt }) => ({
      stateMachineAliasArn: arn,
      creationDate: toSeconds(createdAt),
    })),
    ...(nextToken !== undefined && { nextToken }),
  };
});
