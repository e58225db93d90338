import { isJsonObject, type Json } from '../language/json.ts';
import { parseJson } from '../language/parse-json.ts';
import type { Diagnostic } from './diagnostic.ts';
import type { Place } from '../validation/place.ts';
import { validateMachine } from '../validation/validate-graph.ts';
import { validateTransitions } from '../validation/validate-transitions.ts';
import { validateVariables } from '../validation/validate-variables.ts';

/**
 * Everything that is wrong with a definition, in AWS's codes and (where these are known) words: what
 * CreateStateMachine and UpdateStateMachine refuse, and ValidateStateMachineDefinition lists. A definition
 * without errors can be parsed by `parseDefinition` and run.
 */
export function validateDefinition(
  text: string,
  { type }: { readonly type: 'STANDARD' | 'EXPRESS' },
): { readonly diagnostics: Diagnostic[] } {
  const parsed = parse(text);
  if ('problem' in parsed) return { diagnostics: [parsed.problem] };
  const machine = parsed.json;
  if (!isJsonObject(machine)) return { diagnostics: [notAnObject] };
  const language = machine['QueryLanguage'] === undefined ? 'JSONPath' : machine['QueryLanguage'];
  const place: Place = {
    location: '',
    queryLanguage: language === 'JSONPath' ? 'JSONPath' : 'JSONata',
    machineType: type,
    diagnostics: [],
  };
  const graph = validateMachine(machine, place);
  const diagnostics = [...place.diagnostics];
  const isSound = !diagnostics.some((each) => each.severity === 'ERROR');
  if (graph && isSound) {
    diagnostics.push(
      ...validateTransitions(graph),
      ...validateVariables(graph, place.queryLanguage),
    );
  }
  return { diagnostics };
}

/**
 * Everything that is wrong with one state on its own, as TestState is given it: where it leads to is not looked
 * up. Locations name it `/States/<name>`.
 */
export function validateSingleState(
  text: string,
  name: string,
): { readonly diagnostics: Diagnostic[] } {
  const parsed = parse(text);
  if ('problem' in parsed) return { diagnostics: [parsed.problem] };
  if (!isJsonObject(parsed.json)) return { diagnostics: [notAnObject] };
  const place: Place = {
    location: '',
    queryLanguage: 'JSONPath',
    machineType: 'STANDARD',
    diagnostics: [],
  };
  validateMachine({ StartAt: name, States: { [name]: parsed.json } }, place);
  return { diagnostics: place.diagnostics };
}

const notAnObject: Diagnostic = {
  severity: 'ERROR',
  code: 'SCHEMA_VALIDATION_FAILED',
  message: 'Definition must be a valid JSON object',
};

function parse(text: string): { json: Json } | { problem: Diagnostic } {
  if (text.trim() === '') return { problem: notAnObject };
  try {
    return { json: parseJson(text) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { problem: { severity: 'ERROR', code: 'INVALID_JSON_DESCRIPTION', message } };
  }
}
