import { parseText } from '../../execution/json-text.ts';
import { ApiError } from '../api-error.ts';
import { describeJsonError } from '../describe-json-error.ts';
import * as field from '../fields.ts';
import { findAttempt, taskTimedOut } from '../find-attempt.ts';
import { operation } from '../operation.ts';
import { structure } from '../shape.ts';

const shape = structure({ taskToken: field.taskToken, output: field.data });

export const sendTaskSuccess = operation(shape, async (api, { taskToken, output }) => {
  const problem = describeJsonError(output);
  if (problem !== undefined) throw new ApiError('InvalidOutput', `Invalid Output: '${problem}'`);
  const { executionId, threadId, attemptId } = findAttempt(api, taskToken);
  const result = await api.host.send(executionId, {
    kind: 'outcome',
    threadId,
    attemptId,
    outcome: { kind: 'succeeded', output: parseText(output) },
  });
  if (result === 'refused') throw taskTimedOut();
  return {};
});
