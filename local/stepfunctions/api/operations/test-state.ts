import { randomUUID } from 'node:crypto';
import { parseTaskResource } from '../../execution/task-resource.ts';
import { testState as runTestState } from '../../test-state/test-state.ts';
import { TestStateProblem } from '../../test-state/test-state-problem.ts';
import type { RunTask } from '../../test-state/test-state-request.ts';
import { ApiError } from '../api-error.ts';
import * as field from '../fields.ts';
import { operation, type Api } from '../operation.ts';
import { flag, integer, oneOf, optional, structure, text } from '../shape.ts';

const shape = structure({
  definition: field.definition,
  roleArn: optional(field.arn),
  input: optional(field.data),
  inspectionLevel: optional(oneOf(['INFO', 'DEBUG', 'TRACE'])),
  revealSecrets: optional(flag),
  variables: optional(field.data),
  stateName: optional(field.name),
  mock: optional(
    structure({
      result: optional(field.data),
      errorOutput: optional(
        structure({ error: optional(field.error), cause: optional(field.cause) }),
      ),
      fieldValidationMode: optional(oneOf(['STRICT', 'PRESENT', 'NONE'])),
    }),
  ),
  context: optional(field.data),
  stateConfiguration: optional(
    structure({
      retrierRetryCount: optional(integer({ min: 0 })),
      errorCausedByState: optional(field.name),
      mapIterationFailureCount: optional(integer({ min: 0 })),
      mapItemReaderData: optional(text({ max: 262_144 })),
    }),
  ),
});

/** Runs one state without an execution; a Task without a mock really calls its service. */
export const testState = operation(shape, async (api, request, signal) => {
  try {
    return await runTestState(request, {
      runTask: taskRunnerOf(api, signal),
      region: api.locality.region,
      accountId: api.locality.accountId,
      now: () => new Date(api.clock.now()),
      random: Math.random,
    });
  } catch (error) {
    if (error instanceof TestStateProblem) throw new ApiError(error.code, error.message);
    throw error;
  }
});

function taskRunnerOf(api: Api, caller: AbortSignal): RunTask {
  return async ({ resource, arguments: args, credentials, timeoutSeconds }) => {
    const parsed = parseTaskResource(resource);
    const service = parsed?.family === 'Task' ? parsed : undefined;
    const timeout =
      timeoutSeconds === undefined ? undefined : AbortSignal.timeout(timeoutSeconds * 1000);
    const call = {
      executionArn: '',
      stateName: '',
      ...api.locality,
      service: service?.resourceType ?? 'lambda-function',
      action: service?.action ?? resource,
      pattern: service?.pattern ?? ('requestResponse' as const),
      arguments: args,
      ...(credentials !== undefined && { credentials }),
      startedAt: api.clock.now(),
      attemptKey: randomUUID(),
      signal: timeout ? AbortSignal.any([timeout, caller]) : caller,
    };
    const outcome = await api.runner.call(call);
    if (timeout?.aborted) return { error: 'States.Timeout' };
    return outcome.kind === 'failed' ? outcome.failure : { result: outcome.output };
  };
}
