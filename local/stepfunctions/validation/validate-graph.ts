import { getOwn, isJsonObject, type Json, type JsonObject } from '../language/json.ts';
import type { QueryLanguage } from '../definition/ast.ts';
import { integer, oneOf, text } from './checks.ts';
import {
  at,
  checkFieldNames,
  checkFields,
  expectArray,
  expectObject,
  report,
  type Check,
  type Place,
} from './place.ts';
import { validateState } from './validate-state.ts';
import { processorConfig } from './validate-map.ts';

/** A set of states as far as it is sound: what the checks across states work on. */
export type Graph = {
  readonly location: string;
  readonly startAt: string;
  readonly states: readonly GraphState[];
};

export type GraphState = {
  readonly name: string;
  readonly location: string;
  readonly fields: JsonObject;
  readonly inner: readonly Graph[];
};

/** How deep Parallel and Map may nest. */
const maxDepth = 50;
const maxNameLength = 80;
const maxTimeoutSeconds = 99_999_999;

const graphFields: Record<string, Check> = { Comment: text, StartAt: text, States: states };

const machineFields: Record<string, Check> = {
  ...graphFields,
  Version: oneOf(['1.0']),
  TimeoutSeconds: integer(1, maxTimeoutSeconds),
  QueryLanguage: oneOf(['JSONPath', 'JSONata']),
};
const processorFields: Record<string, Check> = {
  ...graphFields,
  ProcessorConfig: processorConfig,
};

export function validateMachine(machine: JsonObject, place: Place): Graph | undefined {
  return validateGraph(machine, machineFields, place.queryLanguage, place, 0);
}

function validateGraph(
  fields: JsonObject,
  allowed: Record<string, Check>,
  machineLanguage: QueryLanguage,
  place: Place,
  depth: number,
): Graph | undefined {
  if (depth > maxDepth) {
    report(place, `Parallel and Map states may nest ${maxDepth} deep`, 'TOO_DEEPLY_NESTED');
    return undefined;
  }
  checkFieldNames(fields, allowed, ['States', 'StartAt'], place);
  checkFields(fields, allowed, place);
  const startAt = getOwn(fields, 'StartAt');
  const found = getOwn(fields, 'States');
  if (!isJsonObject(found)) return undefined;
  const inStates = at(place, 'States');
  const validated = Object.entries(found).flatMap(([name, value]) => {
    const state = validateNamed(name, value, machineLanguage, at(inStates, name), depth);
    return state ? [state] : [];
  });
  if (typeof startAt !== 'string') return undefined;
  return { location: place.location, startAt, states: validated };
}

function states(value: Json, place: Place): void {
  const found = expectObject(value, place);
  if (found && Object.keys(found).length === 0) report(place, 'Value cannot be empty');
}

function validateNamed(
  name: string,
  value: Json,
  machineLanguage: QueryLanguage,
  place: Place,
  depth: number,
): GraphState | undefined {
  if (name.length === 0 || name.length > maxNameLength) {
    report(place, `A state name has 1 to ${maxNameLength} characters`, 'INVALID_STATE_NAME');
  }
  const fields = validateState(value, machineLanguage, place);
  if (!fields) return undefined;
  const inner = innerGraphs(fields, machineLanguage, place, depth + 1);
  return { name, location: place.location, fields, inner };
}

function innerGraphs(
  state: JsonObject,
  machineLanguage: QueryLanguage,
  place: Place,
  depth: number,
): Graph[] {
  if (state['Type'] === 'Parallel' && Object.hasOwn(state, 'Branches')) {
    return branchGraphs(state['Branches'], machineLanguage, at(place, 'Branches'), depth);
  }
  if (state['Type'] !== 'Map') return [];
  const name = Object.hasOwn(state, 'Iterator') ? 'Iterator' : 'ItemProcessor';
  if (!Object.hasOwn(state, name)) {
    report(place, 'These fields are required: [ItemProcessor]');
    return [];
  }
  const here = at(place, name);
  const processor = expectObject(state[name], here);
  const graph =
    processor && validateGraph(processor, processorFields, machineLanguage, here, depth);
  return graph ? [graph] : [];
}

function branchGraphs(
  value: Json | undefined,
  machineLanguage: QueryLanguage,
  place: Place,
  depth: number,
): Graph[] {
  return (expectArray(value, place) ?? []).flatMap((each, index) => {
    const here = { ...place, location: `${place.location}[${index}]` };
    const branch = expectObject(each, here);
    const graph = branch && validateGraph(branch, graphFields, machineLanguage, here, depth);
    return graph ? [graph] : [];
  });
}
