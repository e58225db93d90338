import type { Json, JsonObject } from '../../../local/stepfunctions/language/json.ts';
import type { Scope } from '../../../local/stepfunctions/language/scope.ts';
import { StatesError } from '../../../local/stepfunctions/language/states-error.ts';
import { parseState } from '../../../local/stepfunctions/definition/parse-definition.ts';
import type { State } from '../../../local/stepfunctions/definition/ast.ts';

/** A scope of the state `S`, entered by event 2, as the tests of the data flow use it. */
export function scopeOf(input: Json, more: Partial<Scope> = {}): Scope {
  return { stateName: 'S', enteredEventId: 2, input, context: () => ({}), variables: {}, ...more };
}

/** How every cause of that scope begins. */
export const causePrefix =
  "An error occurred while executing the state 'S' (entered at the event id #2). ";

export function stateOf<T extends State['type']>(
  type: T,
  fields: JsonObject,
): Extract<State, { type: T }> {
  const state = parseState('S', { Type: type, ...fields }, 'JSONPath');
  if (!isOfType(state, type)) throw new TypeError(`not a ${type} state`);
  return state;
}

function isOfType<T extends State['type']>(
  state: State,
  type: T,
): state is Extract<State, { type: T }> {
  return state.type === type;
}

/** The StatesError that `run` ends with, thrown or rejected. */
export async function failureOf(run: () => unknown): Promise<StatesError> {
  try {
    await run();
  } catch (error) {
    if (error instanceof StatesError) return error;
    throw error;
  }
  throw new Error('expected a StatesError, but it succeeded');
}
