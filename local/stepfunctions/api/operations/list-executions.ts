import { ApiError } from '../api-error.ts';
import { checkArn } from '../check-arn.ts';
import * as field from '../fields.ts';
import { resolveMachine } from '../find-machine.ts';
import { operation, type Api } from '../operation.ts';
import { cutPage, readPage } from '../paging.ts';
import { oneOf, optional, structure, text } from '../shape.ts';
import { toSeconds } from '../timestamp.ts';
import type { ExecutionFilter } from '../../store/executions.ts';

const shape = structure({
  stateMachineArn: optional(field.arn),
  mapRunArn: optional(field.longArn),
  // In the order in which AWS's own error lists them.
  statusFilter: optional(
    oneOf(['SUCCEEDED', 'TIMED_OUT', 'PENDING_REDRIVE', 'ABORTED', 'FAILED', 'RUNNING']),
  ),
  redriveFilter: optional(oneOf(['REDRIVEN', 'NOT_REDRIVEN'])),
  maxResults: optional(field.maxResults),
  nextToken: optional(text({ min: 1, max: 3096 })),
});

export const listExecutions = operation(shape, (api, request) => {
  const { stateMachineArn, mapRunArn, statusFilter, redriveFilter } = request;
  const filter: ExecutionFilter = {
    ...whose(api, stateMachineArn, mapRunArn),
    ...(statusFilter !== undefined && { status: statusFilter }),
    ...(redriveFilter !== undefined && { redriven: redriveFilter === 'REDRIVEN' }),
  };
  const now = api.clock.now();
  const scope = `executions ${JSON.stringify(filter)}`;
  const page = readPage(request, scope, now);
  const rows = api.store.executions.list(filter, page.limit + 1, page.offset);
  const { items, nextToken } = cutPage(rows, page, scope, now);
  return {
    executions: items.map((row) => ({
      executionArn: row.arn,
      stateMachineArn: row.machineArn,
      name: row.name,
      status: row.status,
      startDate: toSeconds(row.startedAt),
      ...(row.stoppedAt !== undefined && { stopDate: toSeconds(row.stoppedAt) }),
      ...(row.mapRunArn !== undefined && { mapRunArn: row.mapRunArn }),
      ...(row.versionArn !== undefined && { stateMachineVersionArn: row.versionArn }),
      ...(row.aliasArn !== undefined && { stateMachineAliasArn: row.aliasArn }),
      redriveCount: row.redriveCount,
      ...(row.redrivenAt !== undefined && { redriveDate: toSeconds(row.redrivenAt) }),
    })),
    ...(nextToken !== undefined && { nextToken }),
  };
});

function whose(
  api: Api,
  machineArn: string | undefined,
  mapRunArn: string | undefined,
): ExecutionFilter {
  if ((machineArn === undefined) === (mapRunArn === undefined)) {
    throw new ApiError(
      'ValidationException',
      'Must specify exactly one of: stateMachineArn, mapRunArn',
    );
  }
  if (mapRunArn !== undefined) {
    checkArn(mapRunArn, 'mapRun');
    return { mapRunArn };
  }
  const { parts } = checkArn(machineArn ?? '', 'stateMachine');
  const { machine, versionArn, aliasArn } = resolveMachine(api, machineArn ?? '', 0);
  if (machine.type === 'EXPRESS') {
    throw new ApiError(
      'StateMachineTypeNotSupported',
      'This operation is not supported by this type of state machine',
    );
  }
  if (parts.length === 1) return { machineArn: machine.arn };
  return aliasArn === undefined ? { versionArn: versionArn ?? '' } : { aliasArn };
}
