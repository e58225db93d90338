import * as field from '../fields.ts';
import { findAttempt, taskTimedOut } from '../find-attempt.ts';
import { operation } from '../operation.ts';
import { structure } from '../shape.ts';

const shape = structure({ taskToken: field.taskToken });

export const sendTaskHeartbeat = operation(shape, async (api, { taskToken }) => {
  const { executionId, threadId, attemptId } = findAttempt(api, taskToken);
  const result = await api.host.send(executionId, { kind: 'heartbeat', threadId, attemptId });
  if (result === 'refused') throw taskTimedOut();
  return {};
});
