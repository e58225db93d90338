import { ApiError } from '../api-error.ts';
import * as field from '../fields.ts';
import { findExecution } from '../find-execution.ts';
import { operation } from '../operation.ts';
import { redriveStatus } from '../redrive-status.ts';
import { optional, structure, text } from '../shape.ts';
import { toSeconds } from '../timestamp.ts';

const shape = structure({
  executionArn: field.arn,
  clientToken: optional(text({ min: 1, max: 64, pattern: /^[!-~]+$/ })),
});

/**
 * Runs an execution again from its unsuccessful states (execution/reset-for-redrive.ts).
 * A client token that redrove it before is answered again with that redrive's date.
 * https://docs.aws.amazon.com/step-functions/latest/apireference/API_RedriveExecution.html
 */
export const redriveExecution = operation(shape, async (api, { executionArn, clientToken }) => {
  const { store, host, clock } = api;
  const row = findExecution(api, executionArn);
  if (clientToken !== undefined) {
    const before = store.redriveTokens.redrivenAt(row.id, clientToken, clock.now());
    if (before !== undefined) return { redriveDate: toSeconds(before) };
  }
  const redrive = redriveStatus(api, row);
  if (redrive.status !== 'REDRIVABLE') {
    const reason = redrive.reason ?? 'Execution is redrivable by its Map Run only';
    throw new ApiError('ExecutionNotRedrivable', reason);
  }
  let redrivenAt = clock.now();
  const result = await host.send(row.id, { kind: 'redrive' }, (view) => {
    redrivenAt = view.redrivenAt ?? redrivenAt;
    if (clientToken !== undefined) store.redriveTokens.add(row.id, clientToken, redrivenAt);
  });
  if (result === 'refused') {
    // Another redrive came first, perhaps with this very token.
    const same = clientToken && store.redriveTokens.redrivenAt(row.id, clientToken, clock.now());
    if (same) return { redriveDate: toSeconds(same) };
    throw new ApiError('ExecutionNotRedrivable', 'Execution is RUNNING and cannot be redriven');
  }
  return { redriveDate: toSeconds(redrivenAt) };
});
