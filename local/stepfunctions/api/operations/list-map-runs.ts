import * as field from '../fields.ts';
import { findExecution } from '../find-execution.ts';
import { operation } from '../operation.ts';
import { cutPage, readPage } from '../paging.ts';
import { optional, structure } from '../shape.ts';
import { toSeconds } from '../timestamp.ts';

const shape = structure({
  executionArn: field.arn,
  maxResults: optional(field.maxResults),
  nextToken: optional(field.pageToken),
});

/** The Map Runs that an execution has started, the newest first. */
export const listMapRuns = operation(shape, (api, request) => {
  const execution = findExecution(api, request.executionArn);
  const now = api.clock.now();
  const scope = `map runs ${execution.arn}`;
  const page = readPage(request, scope, now);
  const rows = api.store.mapRuns.ofExecution(execution.id, page.limit + 1, page.offset);
  const { items, nextToken } = cutPage(rows, page, scope, now);
  return {
    mapRuns: items.map((run) => ({
      executionArn: execution.arn,
      mapRunArn: run.arn,
      stateMachineArn: run.machineArn,
      startDate: toSeconds(run.startedAt),
      ...(run.stoppedAt !== undefined && { stopDate: toSeconds(run.stoppedAt) }),
    })),
    ...(nextToken !== undefined && { nextToken }),
  };
});
