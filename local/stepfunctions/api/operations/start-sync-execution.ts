import type { ExecutionView } from '../../execution/view.ts';
import { ApiError } from '../api-error.ts';
import { beginExecution, splitTestCase } from '../begin-execution.ts';
import * as field from '../fields.ts';
import { resolveMachine } from '../find-machine.ts';
import { operation, type Api } from '../operation.ts';
import { optional, structure } from '../shape.ts';
import { toSeconds } from '../timestamp.ts';

const shape = structure({
  stateMachineArn: field.arn,
  name: optional(field.name),
  input: optional(field.data),
  traceHeader: optional(field.traceHeader),
  includedData: optional(field.includedData),
});

/** Runs an Express execution and answers with its outcome. */
export const startSyncExecution = operation(shape, async (api, request) => {
  const { machine } = resolveMachine(api, splitTestCase(api, request.stateMachineArn).arn);
  if (machine.type !== 'EXPRESS') {
    throw new ApiError(
      'StateMachineTypeNotSupported',
      'This operation is not supported by this type of state machine',
    );
  }
  const begun = await beginExecution(api, request);
  const { arn } = begun;
  const view = await whenClosed(api, arn, begun.view);
  const durationMs = (view.stoppedAt ?? view.startedAt) - view.startedAt;
  return {
    executionArn: arn,
    stateMachineArn: machine.arn,
    name: view.identity.name,
    startDate: toSeconds(view.startedAt),
    stopDate: toSeconds(view.stoppedAt ?? view.startedAt),
    status: view.status,
    input: view.inputText,
    inputDetails: { included: true },
    ...(view.outputText !== undefined && {
      output: view.outputText,
      outputDetails: { included: true },
    }),
    ...(view.failure?.error !== undefined && { error: view.failure.error }),
    ...(view.failure?.cause !== undefined && { cause: view.failure.cause }),
    ...(request.traceHeader !== undefined && { traceHeader: request.traceHeader }),
    billingDetails: {
      billedMemoryUsedInMB: 64,
      billedDurationInMilliseconds: Math.ceil(Math.max(durationMs, 1) / 100) * 100,
    },
  };
});

/** Its first turn may have been its last. */
function whenClosed(
  api: Api,
  arn: string,
  view: ExecutionView | undefined,
): Promise<ExecutionView> {
  if (view && view.status !== 'RUNNING') return Promise.resolve(view);
  return new Promise((resolve) => api.closed.add(arn, resolve));
}
