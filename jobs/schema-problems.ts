import { Settings } from 'typebox/system';
import type { Validator } from 'typebox/compile';
import { type JsonProblem, pointerTo } from './exact-json.ts';

const maxProblems = 100;

type SchemaError = ReturnType<Validator['Errors']>[number];

/** Everything in which `value` does not fit the schema, up to 100 problems; none where it fits. `at` is where it stands. */
export function schemaProblems(validator: Validator, value: unknown, at = ''): JsonProblem[] {
  if (validator.Check(value)) return [];
  // A setting of the whole process; without it the list ends after eight.
  Settings.Set({ maxErrors: maxProblems });
  return validator.Errors(value).flatMap((error) => toProblems(error, at));
}

function toProblems(error: SchemaError, at: string): JsonProblem[] {
  const pointer = at + error.instancePath;
  switch (error.keyword) {
    case 'required':
      return error.params.requiredProperties.map((name) => ({
        pointer: pointerTo(pointer, name),
        message: 'is required',
      }));
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return []; // each of them comes as 'boolean' too, with its own pointer
    case 'boolean':
      return [{ pointer, message: 'is not a property that is known here' }];
    case 'enum':
      return [{ pointer, message: `must be one of ${error.params.allowedValues.join(', ')}` }];
    default:
      return [{ pointer, message: error.message }];
  }
}
