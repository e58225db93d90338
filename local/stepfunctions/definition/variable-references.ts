import type { JsonPath } from '../language/jsonpath/jsonpath.ts';
import type { Template } from '../language/template.ts';
import type { State, StateGraph } from './ast.ts';

/**
 * The workflow variables that each state refers to, as DescribeStateMachine returns them: states without any are
 * left out, states inside others stand beside them, names are sorted. Undefined when no state refers to any.
 */
export function variableReferences(graph: StateGraph): Record<string, string[]> | undefined {
  const entries = allStates(graph)
    .map((state): [string, string[]] => [state.name, [...namesIn(state)].sort()])
    .filter(([, names]) => names.length > 0);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function allStates(graph: StateGraph): State[] {
  return [...graph.states.values()].flatMap((state) => [
    state,
    ...innerGraphs(state).flatMap(allStates),
  ]);
}

function innerGraphs(state: State): readonly StateGraph[] {
  if (state.type === 'Parallel') return state.branches;
  return state.type === 'Map' ? [state.itemProcessor] : [];
}

/** Looks through a state's compiled fields for templates and paths; the states inside it have entries of their own. */
function namesIn(state: State): Set<string> {
  const names = new Set<string>();
  const {
    branches: _branches,
    itemProcessor: _processor,
    ...fields
  } = {
    branches: undefined,
    itemProcessor: undefined,
    ...state,
  };
  collect(fields, names);
  return names;
}

function collect(value: unknown, names: Set<string>): void {
  if (Array.isArray(value)) {
    for (const each of value) collect(each, names);
  } else if (isTemplate(value)) {
    for (const name of value.variables()) names.add(name);
  } else if (isPath(value)) {
    if (value.root.kind === 'variable') names.add(value.root.name);
  } else if (typeof value === 'object' && value !== null) {
    for (const each of Object.values(value)) collect(each, names);
  }
}

function isTemplate(value: unknown): value is Template {
  return typeof value === 'object' && value !== null && 'isConstant' in value;
}

function isPath(value: unknown): value is JsonPath {
  return typeof value === 'object' && value !== null && 'root' in value && 'isDefinite' in value;
}
