import { parseEntry } from '../execution/fold.ts';
import type { ExecutionRow } from '../store/executions.ts';
import { ApiError } from './api-error.ts';
import { checkArn } from './check-arn.ts';
import type { Api } from './operation.ts';

/** The execution of an ARN. Express executions have no API of their own: InvalidArn, as on AWS. */
export function findExecution({ store }: Api, arn: string): ExecutionRow {
  checkArn(arn, 'execution');
  const row = store.executions.find(arn);
  if (!row) {
    throw new ApiError('ExecutionDoesNotExist', `Execution Does Not Exist: '${arn}'`);
  }
  return row;
}

/** As findExecution, and also the Express children of a Map Run, which DescribeExecution shows. */
export function findDescribable(api: Api, arn: string): ExecutionRow {
  const { kind } = checkArn(arn, 'execution', 'express');
  if (kind === 'execution') return findExecution(api, arn);
  const row = api.store.executions.find(arn);
  if (row?.mapRunArn !== undefined) return row;
  throw new ApiError(
    'InvalidArn',
    "Invalid Arn: 'Resource type not valid in this context: express'",
  );
}

/** The input as it was given. */
export function inputOf({ store, host }: Api, row: ExecutionRow): string {
  const present = host.peek(row.id);
  if (present) return present.inputText;
  const first = store.log.readFirst(row.id);
  const records = first === undefined ? [] : parseEntry(first);
  const [started] = records;
  if (started?.type !== 'ExecutionStarted')
    throw new Error(`the log of ${row.arn} has no beginning`);
  return started.input;
}
