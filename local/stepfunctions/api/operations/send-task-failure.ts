import * as field from '../fields.ts';
import { findAttempt, taskTimedOut } from '../find-attempt.ts';
import { operation } from '../operation.ts';
import { optional, structure } from '../shape.ts';

const shape = structure({
  taskToken: field.taskToken,
  error: optional(field.error),
  cause: optional(field.cause),
});

export const sendTaskFailure = operation(shape, async (api, { taskToken, error, cause }) => {
  const { executionId, threadId, attemptId } = findAttempt(api, taskToken);
  const failure = { ...(error !== undefined && { error }), ...(cause !== undefined && { cause }) };
  const result = await api.host.send(executionId, {
    kind: 'outcome',
    threadId,
    attemptId,
    outcome: { kind: 'failed', failure },
  });
  if (result === 'refused') throw taskTimedOut();
  return {};
});
