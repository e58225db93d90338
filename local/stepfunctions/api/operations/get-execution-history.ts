import { parseEntry } from '../../execution/fold.ts';
import { historyEvent } from '../../execution/history-event.ts';
import { isVisible } from '../../execution/record.ts';
import * as field from '../fields.ts';
import { findExecution } from '../find-execution.ts';
import { operation } from '../operation.ts';
import { cutPage, readPage } from '../paging.ts';
import { flag, optional, structure } from '../shape.ts';

const shape = structure({
  executionArn: field.arn,
  maxResults: optional(field.maxResults),
  reverseOrder: optional(flag),
  nextToken: optional(field.pageToken),
  includeExecutionData: optional(flag),
});

export const getExecutionHistory = operation(shape, (api, request) => {
  const { reverseOrder = false, includeExecutionData = true } = request;
  const row = findExecution(api, request.executionArn);
  const now = api.clock.now();
  const scope = `history ${row.arn} ${reverseOrder}`;
  const page = readPage(request, scope, now);
  const records = api.store.log.read(row.id).flatMap(parseEntry).filter(isVisible);
  if (reverseOrder) records.reverse();
  const wanted = records.slice(page.offset, page.offset + page.limit + 1);
  const { items, nextToken } = cutPage(wanted, page, scope, now);
  const options = {
    includeExecutionData,
    region: api.locality.region,
    roleArn: api.store.machines.revision(row.revision).roleArn,
    ...(row.versionArn !== undefined && { versionArn: row.versionArn }),
    ...(row.aliasArn !== undefined && { aliasArn: row.aliasArn }),
  };
  return {
    events: items.map((record) => historyEvent(record, options)),
    ...(nextToken !== undefined && { nextToken }),
  };
});
