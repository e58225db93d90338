import type { JsonObject } from '../language/json.ts';
import type { ExecutionView, OpenState, Thread } from './view.ts';

/**
 * The context object, `$$` and `$states.context`, as a state sees it.
 * https://docs.aws.amazon.com/step-functions/latest/dg/input-output-contextobject.html
 */
export function contextObject(
  view: ExecutionView,
  thread: Thread,
  open: OpenState,
  taskToken?: string,
): JsonObject {
  const { identity } = view;
  return {
    Execution: {
      Id: identity.arn,
      Input: view.input,
      StartTime: isoTime(view.startedAt),
      Name: identity.name,
      RoleArn: identity.roleArn,
      // An Express execution cannot be redriven, and has no such member (recorded from AWS).
      ...(!identity.express && { RedriveCount: view.redriveCount }),
      ...(view.redrivenAt !== undefined && { RedriveTime: isoTime(view.redrivenAt) }),
    },
    StateMachine: { Id: identity.machineArn, Name: identity.machineName },
    State: {
      Name: open.state.name,
      EnteredTime: isoTime(open.enteredAt),
      ...('retry' in open.state && { RetryCount: open.retryCount }),
    },
    ...(thread.mapItem && {
      Map: { Item: { Index: thread.mapItem.index, Value: thread.mapItem.value } },
    }),
    ...(taskToken !== undefined && { Task: { Token: taskToken } }),
  };
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
