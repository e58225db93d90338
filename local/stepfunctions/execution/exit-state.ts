import type { Json, JsonObject } from '../language/json.ts';
import { dataLimitExceeded } from './data-limit.ts';
import { isTooLarge, toText } from './json-text.ts';
import type { Turn } from './turn.ts';
import { openOf, type Thread } from './view.ts';

export type Exit = { output: Json; assigned?: JsonObject; next?: string | undefined };

/** The state is done: its output and variables are there, the thread goes on or ends. */
export function exitState(turn: Turn, thread: Thread, { output, assigned, next }: Exit): void {
  const { state } = openOf(thread);
  const text = toText(output);
  if (isTooLarge(text)) return turn.fail(thread, dataLimitExceeded(state.name));
  turn.emit(
    thread,
    {
      type: `${state.type}StateExited`,
      name: state.name,
      output: text,
      ...(assigned && Object.keys(assigned).length > 0 && { assigned }),
      ...(next !== undefined && { next }),
    },
    { payload: output },
  );
  if (next === undefined) turn.end(thread, output);
  else turn.wake(thread);
}
