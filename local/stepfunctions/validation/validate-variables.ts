import { getOwn, isJsonObject, type Json, type JsonObject } from '../language/json.ts';
import type { Diagnostic } from '../definition/diagnostic.ts';
import { stateLanguage } from '../definition/parse-definition.ts';
import type { QueryLanguage } from '../definition/ast.ts';
import { variableName } from './check-assign.ts';
import type { Graph, GraphState } from './validate-graph.ts';

/**
 * "A variable in an inner scope cannot have the name of one in an outer scope": branches and iterations write
 * their own variables only. Children of a distributed Map see none of the outer ones.
 * https://docs.aws.amazon.com/step-functions/latest/dg/workflow-variables.html
 */
export function validateVariables(
  graph: Graph,
  machineLanguage: QueryLanguage,
  outer: ReadonlySet<string> = new Set(),
): Diagnostic[] {
  const own = graph.states.flatMap((state) => assignedBy(state, machineLanguage));
  const visible = new Set([...outer, ...own.map((each) => each.name)]);
  return [
    ...own.filter(({ name }) => outer.has(name)).map(shadowing),
    ...graph.states.flatMap((state) =>
      state.inner.flatMap((inner) =>
        validateVariables(inner, machineLanguage, isDistributed(state) ? new Set() : visible),
      ),
    ),
  ];
}

type Assigned = { readonly name: string; readonly location: string };

function shadowing({ name, location }: Assigned): Diagnostic {
  return {
    severity: 'ERROR',
    code: 'SCHEMA_VALIDATION_FAILED',
    message: `The variable '${name}' is assigned in an outer scope and cannot be assigned here`,
    location,
  };
}

function assignedBy({ fields, location }: GraphState, machineLanguage: QueryLanguage): Assigned[] {
  const queryLanguage = stateLanguage(fields, machineLanguage);
  const namesIn = (source: JsonObject, at: string): Assigned[] => {
    const assign = getOwn(source, 'Assign');
    if (!isJsonObject(assign)) return [];
    return Object.keys(assign).map((key) => ({
      name: variableName(key, queryLanguage),
      location: `${at}/Assign`,
    }));
  };
  const inEach = (list: Json | undefined, at: string): Assigned[] =>
    (Array.isArray(list) ? list : []).flatMap((each, index) =>
      isJsonObject(each) ? namesIn(each, `${at}[${index}]`) : [],
    );
  return [
    ...namesIn(fields, location),
    ...inEach(getOwn(fields, 'Choices'), `${location}/Choices`),
    ...inEach(getOwn(fields, 'Catch'), `${location}/Catch`),
  ];
}

function isDistributed({ fields }: GraphState): boolean {
  const processor = getOwn(fields, 'ItemProcessor') ?? getOwn(fields, 'Iterator');
  const config = isJsonObject(processor) ? getOwn(processor, 'ProcessorConfig') : undefined;
  return isJsonObject(config) && config['Mode'] === 'DISTRIBUTED';
}
