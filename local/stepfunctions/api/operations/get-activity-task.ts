import { toText } from '../../execution/json-text.ts';
import { findThread, openOf } from '../../execution/view.ts';
import * as field from '../fields.ts';
import { findActivity } from '../find-activity.ts';
import { operation, type Api } from '../operation.ts';
import { optional, structure } from '../shape.ts';

const shape = structure({ activityArn: field.arn, workerName: optional(field.name) });

/** AWS holds the request for up to a minute and then answers without a token. */
const LONG_POLL_MS = 60_000;

export const getActivityTask = operation(
  shape,
  async (api, { activityArn, workerName }, signal) => {
    findActivity(api, activityArn);
    const until = Date.now() + LONG_POLL_MS;
    for (;;) {
      const task = await takeTask(api, activityArn, workerName);
      if (task) return task;
      const leftMs = until - Date.now();
      if (leftMs <= 0 || signal.aborted) return {};
      await api.activities.wait(activityArn, leftMs, signal);
      // A worker that has hung up must not be given a task.
      if (signal.aborted) return {};
    }
  },
);

/** Hands out the oldest task that is still wanted; ActivityStarted is on disk before the worker has it. */
async function takeTask(
  api: Api,
  activityArn: string,
  workerName: string | undefined,
): Promise<{ taskToken: string; input: string } | undefined> {
  for (let next = api.activities.take(activityArn); next; next = api.activities.take(activityArn)) {
    const { executionId, threadId, attemptId } = next;
    const result = await api.host.send(executionId, {
      kind: 'activity-started',
      threadId,
      attemptId,
      ...(workerName !== undefined && { workerName }),
    });
    if (result === 'refused') continue;
    const view = api.host.view(executionId);
    const thread = view && findThread(view, threadId);
    const phase = thread?.at.kind === 'inside' ? openOf(thread).phase : undefined;
    if (phase?.kind !== 'attempt' || phase.attempt.token === undefined) continue;
    return { taskToken: phase.attempt.token, input: toText(phase.attempt.arguments) };
  }
  return undefined;
}
