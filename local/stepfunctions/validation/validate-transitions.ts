import { getOwn, isJsonObject, type Json } from '../language/json.ts';
import type { Diagnostic } from '../definition/diagnostic.ts';
import type { Graph, GraphState } from './validate-graph.ts';

type Transition = { readonly target: string; readonly location: string };

/**
 * Checks across states: every target exists, there is an end, every state can be reached, and no name is used
 * twice. Texts and order as AWS gives them.
 */
export function validateTransitions(root: Graph): Diagnostic[] {
  const names = new Set<string>();
  return graphsOf(root).flatMap((graph) => [
    ...duplicates(graph, names),
    ...missingTargets(graph),
    ...endAndReach(graph),
  ]);
}

function graphsOf(graph: Graph): Graph[] {
  return [graph, ...graph.states.flatMap((state) => state.inner.flatMap(graphsOf))];
}

function duplicates(graph: Graph, names: Set<string>): Diagnostic[] {
  return graph.states.flatMap(({ name, location }): Diagnostic[] => {
    if (!names.has(name)) {
      names.add(name);
      return [];
    }
    const message = `Duplicate State name: ${name}`;
    return [{ severity: 'ERROR', code: 'DUPLICATE_STATE_NAME', message, location }];
  });
}

function missingTargets(graph: Graph): Diagnostic[] {
  const known = new Set(graph.states.map((state) => state.name));
  const start = { target: graph.startAt, location: `${graph.location}/StartAt` };
  return [start, ...graph.states.flatMap(transitionsOf)]
    .filter(({ target }) => !known.has(target))
    .map(({ target, location }) => ({
      severity: 'ERROR',
      code: 'MISSING_TRANSITION_TARGET',
      message: `Missing 'Next' target: ${target}`,
      location,
    }));
}

/** Without an end nothing is said about reach. */
function endAndReach(graph: Graph): Diagnostic[] {
  if (!graph.states.some(isEnd)) {
    return [
      {
        severity: 'ERROR',
        code: 'MISSING_END_STATE',
        message: 'Workflow has no terminal state',
      },
    ];
  }
  const reached = reachable(graph);
  return graph.states
    .filter((state) => !reached.has(state.name))
    .map(({ name, location }) => ({
      severity: 'ERROR',
      code: 'MISSING_TRANSITION_TARGET',
      message: `State "${name}" is not reachable.`,
      location,
    }));
}

function isEnd({ fields }: GraphState): boolean {
  return fields['End'] === true || fields['Type'] === 'Succeed' || fields['Type'] === 'Fail';
}

function reachable(graph: Graph): Set<string> {
  const states = new Map(graph.states.map((state) => [state.name, state]));
  const reached = new Set<string>();
  const open = [graph.startAt];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const state = states.get(name);
    if (!state || reached.has(name)) continue;
    reached.add(name);
    open.push(...transitionsOf(state).map((each) => each.target));
  }
  return reached;
}

/** Next, Default, and the Next of rules and catchers. */
function transitionsOf({ fields, location }: GraphState): Transition[] {
  return [
    ...transition(getOwn(fields, 'Next'), `${location}/Next`),
    ...nextOfEach(getOwn(fields, 'Choices'), `${location}/Choices`),
    ...transition(getOwn(fields, 'Default'), `${location}/Default`),
    ...nextOfEach(getOwn(fields, 'Catch'), `${location}/Catch`),
  ];
}

function transition(target: Json | undefined, location: string): Transition[] {
  return typeof target === 'string' ? [{ target, location }] : [];
}

function nextOfEach(list: Json | undefined, location: string): Transition[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((each, index) =>
    isJsonObject(each) ? transition(getOwn(each, 'Next'), `${location}[${index}]/Next`) : [],
  );
}
