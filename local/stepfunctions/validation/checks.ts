import { isExpression } from '../language/jsonata-template.ts';
import type { Json } from '../language/json.ts';
import { parseJsonPath } from '../language/jsonpath/parse-jsonpath.ts';
import { isReferencePath, parseReferencePath } from '../language/jsonpath/reference-path.ts';
import { isIntrinsicCall, parseIntrinsic } from '../language/intrinsics/parse-intrinsic.ts';
import { parseTimestamp } from '../language/timestamp.ts';
import { checkExpression } from './check-expression.ts';
import { report, type Check, type Place } from './place.ts';

/** Checks of single values; each says what is wrong in AWS's words where these are known. */
export const text: Check = (value, place) => {
  if (typeof value !== 'string') report(place, 'Expected value of type [STRING]');
};

export const boolean: Check = (value, place) => {
  if (typeof value !== 'boolean') report(place, 'Expected value of type [BOOLEAN]');
};

/** A name of a state: its target is looked up when the whole graph is known. */
export const target = text;

export function oneOf(names: readonly string[]): Check {
  return (value, place) => {
    if (typeof value !== 'string') report(place, 'Expected value of type [STRING]');
    else if (!names.includes(value)) {
      report(place, `Value should be one of the following: [${names.join(', ')}]`);
    }
  };
}

export function number(least: number, most: number, isInteger: boolean): Check {
  return (value, place) => {
    if (typeof value !== 'number' || (isInteger && !Number.isInteger(value))) {
      report(place, `Expected value of type [${isInteger ? 'INTEGER' : 'NUMBER'}]`);
    } else if (value < least || value > most) {
      report(place, `Value should be between ${least} and ${most}`);
    }
  };
}

export function integer(least: number, most: number): Check {
  return number(least, most, true);
}

/** In a JSONata state an expression may stand for the value. */
export function orExpression(check: Check): Check {
  return (value, place) => {
    if (place.queryLanguage === 'JSONata' && isExpression(value)) checkExpression(value, place);
    else check(value, place);
  };
}

export const timestamp: Check = (value, place) => {
  if (typeof value !== 'string' || parseTimestamp(value) === undefined) {
    report(place, 'String does not match RFC3339 timestamp');
  }
};

/** InputPath, OutputPath: any path, or null. */
export const pathOrNull: Check = (value, place) => {
  if (value !== null) path(value, place);
};

export const path: Check = (value, place) => {
  const problem = pathProblem(value, (each) => void parseJsonPath(each));
  if (problem !== undefined) report(place, `Value is not a valid JSONPath: ${problem}`);
};

/** A path to a single node, of input, context object or variable. */
export const singlePath: Check = (value, place) => {
  const problem = pathProblem(value, (each) => {
    if (!isReferencePath(parseJsonPath(each))) throw new Error('it does not name a single value');
  });
  if (problem !== undefined) report(place, `Value is not a Reference Path: ${problem}`);
};

/** ResultPath: where a result is put, or null. */
export const resultPath: Check = (value, place) => {
  if (value === null) return;
  const problem = pathProblem(value, (each) => void parseReferencePath(each));
  if (problem !== undefined) report(place, `Value is not a Reference Path: ${problem}`);
};

/** ErrorPath, CausePath: a path or an intrinsic call. */
export const pathOrIntrinsic: Check = (value, place) => {
  const problem = pathProblem(value, parseReference);
  if (problem !== undefined) {
    report(place, `Value is not a valid JSONPath or intrinsic function call: ${problem}`);
  }
};

export function parseReference(value: string): void {
  if (isIntrinsicCall(value)) parseIntrinsic(value);
  else parseJsonPath(value);
}

function pathProblem(value: Json, parse: (value: string) => void): string | undefined {
  if (typeof value !== 'string') return 'it is not a string';
  try {
    parse(value);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export const anything: Check = (_value: Json, _place: Place) => undefined;
