import * as field from '../fields.ts';
import { findExecution } from '../find-execution.ts';
import { operation } from '../operation.ts';
import { optional, structure } from '../shape.ts';
import { toSeconds } from '../timestamp.ts';

const shape = structure({
  executionArn: field.arn,
  error: optional(field.error),
  cause: optional(field.cause),
});

/** Stopping an execution that has ended answers when it ended, as AWS does. */
export const stopExecution = operation(shape, async (api, { executionArn, error, cause }) => {
  const row = findExecution(api, executionArn);
  await api.host.send(row.id, {
    kind: 'stop',
    ...(error !== undefined && { error }),
    ...(cause !== undefined && { cause }),
  });
  const stoppedAt = api.store.executions.get(row.id)?.stoppedAt ?? api.clock.now();
  return { stopDate: toSeconds(stoppedAt) };
});
