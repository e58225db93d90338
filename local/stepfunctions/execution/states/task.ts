import type { TaskState } from '../../definition/ast.ts';
import { whenReady, type Awaitable, type Json } from '../../language/json.ts';
import {
  evaluateArguments,
  evaluateCredentials,
  evaluateHeartbeatSeconds,
  evaluateTimeoutSeconds,
} from '../../language/state-arguments.ts';
import { runtimeError } from '../../language/states-error.ts';
import { dataLimitExceeded } from '../data-limit.ts';
import { evaluate } from '../evaluate.ts';
import { isTooLarge, toText } from '../json-text.ts';
import { scopeOf } from '../scope-of.ts';
import { parseTaskResource, type TaskResource } from '../task-resource.ts';
import { formatToken } from '../task-token.ts';
import type { Turn } from '../turn.ts';
import type { Thread } from '../view.ts';

type Schedule = {
  arguments: Json;
  credentials: Json | undefined;
  timeoutSeconds: number | undefined;
  heartbeatSeconds: number | undefined;
};

/** Schedules an attempt. Its arguments are evaluated anew each time: they may hold a token or a counter. */
export function executeTask(turn: Turn, thread: Thread, state: TaskState): Awaitable<void> {
  const resource = parseTaskResource(state.resource);
  const token = resource && tokenFor(turn, thread, resource);
  const scope = scopeOf(turn.view, thread, { ...(token !== undefined && { taskToken: token }) });
  return evaluate(
    turn,
    thread,
    () => {
      if (!resource)
        throw runtimeError(scope, `The resource '${state.resource}' is not supported.`);
      if (resource.family === 'Activity' && !turn.activityExists(resource.resource)) {
        throw runtimeError(scope, `The activity ${resource.resource} does not exist.`);
      }
      return whenReady(evaluateTimeoutSeconds(state, scope), (timeoutSeconds) =>
        whenReady(evaluateHeartbeatSeconds(state, scope), (heartbeatSeconds) =>
          whenReady(evaluateArguments(state, scope), (args) =>
            whenReady(evaluateCredentials(state, scope), (credentials) => ({
              resource,
              schedule: { arguments: args, credentials, timeoutSeconds, heartbeatSeconds },
            })),
          ),
        ),
      );
    },
    (evaluated) => schedule(turn, thread, evaluated.resource, evaluated.schedule, token),
  );
}

/** The attempt's id is the id of its …Scheduled event, which is the next one. */
function tokenFor(turn: Turn, thread: Thread, resource: TaskResource): string | undefined {
  const waits =
    resource.family === 'Activity' ||
    (resource.family === 'Task' && resource.pattern === 'waitForTaskToken');
  if (!waits) return undefined;
  const { view } = turn;
  return formatToken(
    { executionId: view.identity.id, threadId: thread.id, attemptId: view.lastEventId + 1 },
    turn.nonce(),
  );
}

function schedule(
  turn: Turn,
  thread: Thread,
  resource: TaskResource,
  { arguments: args, credentials, timeoutSeconds, heartbeatSeconds }: Schedule,
  token: string | undefined,
): void {
  const text = toText(args);
  if (isTooLarge(text)) {
    const what = resource.family === 'Task' ? resource.resourceType : resource.resource;
    return turn.fail(thread, dataLimitExceeded(what));
  }
  const options = {
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    ...(heartbeatSeconds !== undefined && { heartbeatSeconds }),
    ...(credentials !== undefined && { credentials: toText(credentials) }),
  };
  switch (resource.family) {
    case 'Task':
      turn.emit(
        thread,
        {
          type: 'TaskScheduled',
          resourceType: resource.resourceType,
          resource: resource.resource,
          parameters: text,
          ...(token !== undefined && { token }),
          ...options,
        },
        { payload: args },
      );
      break;
    case 'LambdaFunction':
      turn.emit(
        thread,
        { type: 'LambdaFunctionScheduled', resource: resource.resource, input: text, ...options },
        { payload: args },
      );
      break;
    case 'Activity':
      turn.emit(
        thread,
        {
          type: 'ActivityScheduled',
          resource: resource.resource,
          input: text,
          token: token ?? '',
          ...options,
        },
        { payload: args },
      );
      break;
  }
  turn.wake(thread);
}
