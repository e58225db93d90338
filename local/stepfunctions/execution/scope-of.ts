import type { Json, JsonObject } from '../language/json.ts';
import type { ErrorOutput, Scope } from '../language/scope.ts';
import { contextObject } from './context-object.ts';
import { openOf, type ExecutionView, type Thread } from './view.ts';

type Extras = { result?: Json; errorOutput?: ErrorOutput; taskToken?: string };

/** What the expressions of the state a thread is in may read. */
export function scopeOf(
  view: ExecutionView,
  thread: Thread,
  { result, errorOutput, taskToken }: Extras = {},
): Scope {
  const open = openOf(thread);
  let made: JsonObject | undefined;
  return {
    stateName: open.state.name,
    enteredEventId: open.enteredEventId,
    input: open.input,
    variables: thread.variables,
    ...(result !== undefined && { result }),
    ...(errorOutput && { errorOutput }),
    context: () => (made ??= contextObject(view, thread, open, taskToken)),
  };
}
