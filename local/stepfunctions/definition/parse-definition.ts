import { isJsonObject, type Json, type JsonObject } from '../language/json.ts';
import { parseJson } from '../language/parse-json.ts';
import type { QueryLanguage, State, StateGraph, StateMachine } from './ast.ts';
import { DefinitionError } from './definition-error.ts';
import { parseChoiceState } from './parse-choice-state.ts';
import { parseMapState } from './parse-map-state.ts';
import {
  parseFailState,
  parsePassState,
  parseSucceedState,
  parseTaskState,
  parseWaitState,
  readArguments,
} from './parse-states.ts';
import {
  commonFields,
  errorHandling,
  inputOutput,
  resultHandling,
  transition,
} from './parse-shared-fields.ts';
import { optional } from './optional.ts';
import {
  readObject,
  readObjects,
  readOptionalNumber,
  readOptionalText,
  readTemplate,
  readText,
  type Source,
} from './read-fields.ts';

/**
 * Turns a definition that `validateDefinition` accepts into a typed state machine, with everything that is
 * the same for every execution done: paths parsed, templates compiled. Throws DefinitionError.
 */
export function parseDefinition(text: string): StateMachine {
  const json = readMachine(text);
  const queryLanguage = json['QueryLanguage'] === 'JSONata' ? 'JSONata' : 'JSONPath';
  const source: Source = { fields: json, location: '', queryLanguage, prefix: '' };
  return {
    ...parseGraph(source, queryLanguage),
    queryLanguage,
    source: json,
    ...optional('comment', readOptionalText(source, 'Comment')),
    ...optional('timeoutSeconds', readOptionalNumber(source, 'TimeoutSeconds')),
  };
}

/** Parses one state on its own, as TestState is given it. Throws DefinitionError. */
export function parseState(
  name: string,
  fields: JsonObject,
  machineLanguage: QueryLanguage,
): State {
  return parseStateAt(name, fields, `/States/${name}`, machineLanguage);
}

function readMachine(text: string): JsonObject {
  let json: Json;
  try {
    json = parseJson(text);
  } catch (error) {
    throw new DefinitionError(error instanceof Error ? error.message : String(error), '/');
  }
  if (!isJsonObject(json)) throw new DefinitionError('The definition must be a JSON object', '/');
  return json;
}

/** States of branches and item processors take the machine's language, not that of the state around them. */
function parseGraph(source: Source, machineLanguage: QueryLanguage): StateGraph {
  const states = readObject(source, 'States');
  if (!states) throw new DefinitionError("The field 'States' is required", source.location || '/');
  const parsed = new Map<string, State>();
  for (const [name, fields] of Object.entries(states.fields)) {
    const location = `${states.location}/${name}`;
    if (!isJsonObject(fields)) throw new DefinitionError('A state must be an object', location);
    parsed.set(name, parseStateAt(name, fields, location, machineLanguage));
  }
  return { startAt: readText(source, 'StartAt'), states: parsed };
}

function parseStateAt(
  name: string,
  fields: JsonObject,
  location: string,
  machineLanguage: QueryLanguage,
): State {
  const queryLanguage = stateLanguage(fields, machineLanguage);
  const source: Source = { fields, location, queryLanguage, prefix: '' };
  const parseInner = (inner: Source): StateGraph => parseGraph(inner, machineLanguage);
  switch (fields['Type']) {
    case 'Pass':
      return parsePassState(name, source);
    case 'Task':
      return parseTaskState(name, source);
    case 'Choice':
      return parseChoiceState(name, source);
    case 'Wait':
      return parseWaitState(name, source);
    case 'Succeed':
      return parseSucceedState(name, source);
    case 'Fail':
      return parseFailState(name, source);
    case 'Parallel':
      return {
        type: 'Parallel',
        ...commonFields(name, source),
        ...transition(source),
        ...inputOutput(source),
        ...resultHandling(source),
        ...errorHandling(source),
        ...optional('assign', readTemplate(source, 'Assign')),
        ...optional('arguments', readArguments(source)),
        branches: readObjects(source, 'Branches').map(parseInner),
      };
    case 'Map':
      return parseMapState(name, source, parseInner);
    default:
      throw new DefinitionError("The field 'Type' names no state type", `${location}/Type`);
  }
}

/** As AWS resolves it: only the exact text `JSONPath` is JSONPath, any other value JSONata. */
export function stateLanguage(fields: JsonObject, machineLanguage: QueryLanguage): QueryLanguage {
  const own = fields['QueryLanguage'];
  if (own === undefined) return machineLanguage;
  return own === 'JSONPath' ? 'JSONPath' : 'JSONata';
}
