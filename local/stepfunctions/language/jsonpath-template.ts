import { isIntrinsicCall, parseIntrinsic } from './intrinsics/parse-intrinsic.ts';
import { evaluateIntrinsic, variablesOfIntrinsic } from './intrinsics/evaluate-intrinsic.ts';
import {
  isJsonObject,
  isLongerThan,
  quoteJson,
  setOwn,
  type Json,
  type JsonObject,
} from './json.ts';
import { evaluateJsonPath } from './jsonpath/evaluate-jsonpath.ts';
import { PathNotFoundError } from './jsonpath/follow-definite.ts';
import { PathFunctionError } from './jsonpath/evaluate-path-function.ts';
import type { JsonPath } from './jsonpath/jsonpath.ts';
import { parseJsonPath } from './jsonpath/parse-jsonpath.ts';
import type { Scope } from './scope.ts';
import { runtimeError, StatesError } from './states-error.ts';
import { constantTemplate, type Template } from './template.ts';

type Evaluate = (scope: Scope, input: Json) => Json;

/**
 * Compiles a payload template: in every object a field `name.$` is replaced by `name` with the value of its
 * path or intrinsic call. Throws PathSyntaxError.
 * https://states-language.net/spec.html#payload-template
 */
export function compileJsonPathTemplate(source: Json): Template {
  const variables = new Set<string>();
  const evaluate = compileValue(source, variables);
  if (evaluate === undefined) return constantTemplate('JSONPath', source);
  const isLarge = isLongerThan(source, largeTemplateBytes);
  return {
    queryLanguage: 'JSONPath',
    source,
    isConstant: false,
    variables: () => [...variables],
    evaluate: isLarge ? bounded(evaluate) : evaluate,
  };
}

/** A template longer than this could repeat its input often enough to matter. */
const largeTemplateBytes = 2_000;
/** Far above the 256 KiB that a state may hand on, and far below what the process can write as text. */
const maxValueBytes = 16 * 1024 * 1024;

function bounded(evaluate: Evaluate): Evaluate {
  return (scope, input) => {
    const value = evaluate(scope, input);
    if (!isLongerThan(value, maxValueBytes)) return value;
    throw new StatesError(
      'States.DataLimitExceeded',
      `The state/task '${scope.stateName}' returned a result with a size exceeding the maximum number of bytes service limit.`,
    );
  };
}

/** Compiles one path or intrinsic call; `field` is how causes name it. Throws PathSyntaxError. */
export function compileJsonPathValue(text: string, field: string): Template {
  const variables = new Set<string>();
  const evaluate = compileReference(text, field, variables);
  return {
    queryLanguage: 'JSONPath',
    source: text,
    isConstant: false,
    variables: () => [...variables],
    evaluate,
  };
}

/** `undefined` for what holds no reference. */
function compileValue(source: Json, variables: Set<string>): Evaluate | undefined {
  if (Array.isArray(source)) return compileList(source, variables);
  return isJsonObject(source) ? compileObject(source, variables) : undefined;
}

function compileList(source: Json[], variables: Set<string>): Evaluate | undefined {
  const parts = source.map((each) => compileValue(each, variables));
  if (parts.every((each) => each === undefined)) return undefined;
  const evaluators = source.map((each, index): Evaluate => parts[index] ?? (() => each));
  return (scope, input) => evaluators.map((evaluate) => evaluate(scope, input));
}

function compileObject(source: JsonObject, variables: Set<string>): Evaluate | undefined {
  let isConstant = true;
  const fields = Object.entries(source).map(([key, value]): [string, Evaluate] => {
    if (key.endsWith('.$') && typeof value === 'string') {
      isConstant = false;
      return [key.slice(0, -2), compileReference(value, key, variables)];
    }
    const evaluate = compileValue(value, variables);
    if (evaluate) isConstant = false;
    return [key, evaluate ?? (() => value)];
  });
  if (isConstant) return undefined;
  return (scope, input) => {
    const target: JsonObject = {};
    for (const [key, evaluate] of fields) setOwn(target, key, evaluate(scope, input));
    return target;
  };
}

function compileReference(text: string, field: string, variables: Set<string>): Evaluate {
  if (isIntrinsicCall(text)) {
    const call = parseIntrinsic(text);
    for (const name of variablesOfIntrinsic(call)) variables.add(name);
    return (scope, input) => evaluateIntrinsic(call, scope, input);
  }
  const path = parseJsonPath(text);
  if (path.root.kind === 'variable') variables.add(path.root.name);
  return (scope, input) => evaluateField(path, field, scope, input);
}

function evaluateField(path: JsonPath, field: string, scope: Scope, input: Json): Json {
  try {
    return evaluateJsonPath(path, { input, context: scope.context, variables: scope.variables });
  } catch (error) {
    if (error instanceof PathFunctionError) throw runtimeError(scope, error.message);
    if (!(error instanceof PathNotFoundError)) throw error;
    // An index behind the end of a list that is there gives null here, as on AWS (not so in an intrinsic's argument).
    if (error.isPastEnd) return null;
    throw runtimeError(
      scope,
      `The JSONPath '${path.text}' specified for the field '${field}' could not be found in the input '${quoteJson(input)}'`,
    );
  }
}
