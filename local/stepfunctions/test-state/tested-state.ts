import { invalidDefinitionMessage } from '../definition/diagnostic.ts';
import type { QueryLanguage, State, StateGraph } from '../definition/ast.ts';
import { parseDefinition, parseState } from '../definition/parse-definition.ts';
import { validateDefinition, validateSingleState } from '../definition/validate-definition.ts';
import { isJsonObject } from '../language/json.ts';
import { parseJson } from '../language/parse-json.ts';
import { invalidRequest, TestStateProblem } from './test-state-problem.ts';

/** The name of a state that is given without a machine around it. */
export const soleStateName = 'StateName';

/** The state to test: the definition itself, or with `stateName` a state of the machine it defines. */
export function testedState(definition: string, stateName: string | undefined): State {
  const { diagnostics } =
    stateName === undefined
      ? validateSingleState(definition, soleStateName)
      : validateDefinition(definition, { type: 'STANDARD' });
  if (diagnostics.some((each) => each.severity === 'ERROR')) {
    throw new TestStateProblem('InvalidDefinition', invalidDefinitionMessage(diagnostics));
  }
  return stateName === undefined ? soleState(definition) : namedState(definition, stateName);
}

function soleState(definition: string): State {
  const fields = parseJson(definition);
  if (!isJsonObject(fields)) throw new TypeError('a valid state is an object');
  const language: QueryLanguage = 'JSONPath';
  return parseState(soleStateName, fields, language);
}

/** States inside Parallel and Map states can be tested too. */
function namedState(definition: string, name: string): State {
  const found = findState(parseDefinition(definition), name);
  if (found) return found;
  throw invalidRequest('State not found in definition');
}

export function findState(graph: StateGraph, name: string): State | undefined {
  const own = graph.states.get(name);
  if (own) return own;
  for (const state of graph.states.values()) {
    for (const inner of innerGraphs(state)) {
      const found = findState(inner, name);
      if (found) return found;
    }
  }
  return undefined;
}

export function innerGraphs(state: State): readonly StateGraph[] {
  if (state.type === 'Parallel') return state.branches;
  return state.type === 'Map' ? [state.itemProcessor] : [];
}
