import { getOwn, isJsonObject, type Json } from '../language/json.ts';
import { responseShape, type Shape } from './response-shapes.ts';
import { invalidRequest } from './test-state-problem.ts';

/**
 * Holds a mocked result against the response of the API that the Task calls: STRICT asks for the required
 * fields and checks those that are there, PRESENT checks those that are there. Fields the API does not have
 * are let through, as on AWS; so is every result of an API whose response is not known here.
 */
export function checkMockResult(
  resource: string,
  result: Json,
  mode: 'STRICT' | 'PRESENT' | 'NONE',
): void {
  const shape = mode === 'NONE' ? undefined : responseShape(resource);
  if (!shape) return;
  const problem = findProblem('', result, shape, mode === 'STRICT');
  if (problem !== undefined)
    throw invalidRequest(`Mock result schema validation error: ${problem}`);
}

function findProblem(
  name: string,
  value: Json,
  shape: Shape,
  isStrict: boolean,
): string | undefined {
  switch (shape.type) {
    case 'any':
      return undefined;
    case 'string':
      return stringProblem(name, value, shape);
    case 'number':
      return numberProblem(name, value, shape);
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `Field '${name}' must be a boolean`;
    case 'array':
      return arrayProblem(name, value, shape, isStrict);
    case 'map':
      return mapProblem(name, value, shape, isStrict);
    case 'object':
      return objectProblem(name, value, shape, isStrict);
  }
}

function stringProblem(
  name: string,
  value: Json,
  shape: Extract<Shape, { type: 'string' }>,
): string | undefined {
  if (typeof value !== 'string') return `Field '${name}' must be a string`;
  if (shape.values && !shape.values.includes(value)) {
    return `Field '${name}' is not an expected value`;
  }
  if (value.length < (shape.least ?? 0))
    return `Field '${name}' is smaller than the minimum length`;
  if (value.length > (shape.most ?? Infinity)) return `Field '${name}' exceeds the maximum length`;
  return undefined;
}

function numberProblem(
  name: string,
  value: Json,
  shape: Extract<Shape, { type: 'number' }>,
): string | undefined {
  if (typeof value !== 'number') return `Field '${name}' must be a number`;
  if (value < (shape.least ?? -Infinity)) return `Field '${name}' is less than the minimum value`;
  if (value > (shape.most ?? Infinity)) return `Field '${name}' exceeds the maximum value`;
  return undefined;
}

function arrayProblem(
  name: string,
  value: Json,
  shape: Extract<Shape, { type: 'array' }>,
  isStrict: boolean,
): string | undefined {
  if (!Array.isArray(value)) return `Field '${name}' must be an array`;
  return firstOf(value.map((each) => () => findProblem(name, each, shape.of, isStrict)));
}

function mapProblem(
  name: string,
  value: Json,
  shape: Extract<Shape, { type: 'map' }>,
  isStrict: boolean,
): string | undefined {
  if (!isJsonObject(value)) return `Field '${name}' must be an object`;
  return firstOf(
    Object.entries(value).map(
      ([key, each]) =>
        () =>
          findProblem(key, each, shape.of, isStrict),
    ),
  );
}

function objectProblem(
  name: string,
  value: Json,
  shape: Extract<Shape, { type: 'object' }>,
  isStrict: boolean,
): string | undefined {
  if (!isJsonObject(value)) {
    return name === '' ? 'Mock result must be an object' : `Field '${name}' must be an object`;
  }
  const missing = isStrict ? shape.required.find((each) => !Object.hasOwn(value, each)) : undefined;
  if (missing !== undefined) return `Field '${missing}' is required`;
  return firstOf(
    Object.entries(shape.fields).map(([field, fieldShape]) => () => {
      const given = getOwn(value, field);
      return given === undefined ? undefined : findProblem(field, given, fieldShape, isStrict);
    }),
  );
}

function firstOf(checks: readonly (() => string | undefined)[]): string | undefined {
  for (const check of checks) {
    const problem = check();
    if (problem !== undefined) return problem;
  }
  return undefined;
}
