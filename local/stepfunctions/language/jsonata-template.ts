import {
  isJsonObject,
  setOwn,
  whenReady,
  type Awaitable,
  type Json,
  type JsonObject,
  quoteJson,
} from './json.ts';
import { compileExpression, type CompiledExpression } from './jsonata/compile-expression.ts';
import type { Scope } from './scope.ts';
import { queryError } from './states-error.ts';
import { constantTemplate, type Template } from './template.ts';

type Evaluate = (scope: Scope, location: string) => Awaitable<Json>;

/** "A string … starts with `{%` and ends with `%}`, with no leading or trailing spaces." */
export function isExpression(value: Json | undefined): value is string {
  return typeof value === 'string' && value.startsWith('{%') && value.endsWith('%}');
}

/** The expression between the delimiters. */
export function expressionOf(value: string): string {
  return value.slice(2, -2).trim();
}

/**
 * Compiles a value that may hold `{% … %}` expressions at any depth. `field` is its place in the state
 * (`Output`, `Catch[0]/Assign`); causes and EvaluationFailed name the expression by it (`Output/a/b[0]`).
 * Expressions are parsed when first evaluated.
 */
export function compileJsonataTemplate(source: Json, field: string): Template {
  const expressions: CompiledExpression[] = [];
  const evaluate = compileValue(source, expressions);
  if (evaluate === undefined) return constantTemplate('JSONata', source);
  return {
    queryLanguage: 'JSONata',
    source,
    isConstant: false,
    variables: () => expressions.flatMap((each) => each.variables()),
    evaluate: (scope) => evaluate(scope, field),
  };
}

function compileValue(source: Json, expressions: CompiledExpression[]): Evaluate | undefined {
  if (isExpression(source)) return compileText(expressionOf(source), expressions);
  if (Array.isArray(source)) return compileList(source, expressions);
  return isJsonObject(source) ? compileObject(source, expressions) : undefined;
}

function compileText(text: string, expressions: CompiledExpression[]): Evaluate {
  const expression = compileExpression(text);
  expressions.push(expression);
  return async (scope, location) => {
    const outcome = await expression.evaluate(scope);
    if ('value' in outcome) return outcome.value;
    const about = `The JSONata expression '${text}' specified for the field '${location}' `;
    throw queryError(scope, location, about + outcome.problem);
  };
}

function compileList(source: Json[], expressions: CompiledExpression[]): Evaluate | undefined {
  const parts = source.map((each) => compileValue(each, expressions));
  if (parts.every((each) => each === undefined)) return undefined;
  return async (scope, location) => {
    const values: Json[] = [];
    for (const [index, each] of source.entries()) {
      const evaluate = parts[index];
      values.push(evaluate ? await evaluate(scope, `${location}[${index}]`) : each);
    }
    return values;
  };
}

function compileObject(
  source: JsonObject,
  expressions: CompiledExpression[],
): Evaluate | undefined {
  const fields = Object.entries(source).map(
    ([key, value]) => [key, value, compileValue(value, expressions)] as const,
  );
  if (fields.every(([, , evaluate]) => evaluate === undefined)) return undefined;
  return async (scope, location) => {
    const target: JsonObject = {};
    for (const [key, value, evaluate] of fields) {
      setOwn(target, key, evaluate ? await evaluate(scope, `${location}/${key}`) : value);
    }
    return target;
  };
}

type JsonType = 'array' | 'boolean' | 'integer' | 'number' | 'string' | 'object';

/** Evaluates a template whose value has to be of one type. Throws StatesError as AWS words it. */
export function evaluateAs<T extends Json>(
  template: Template,
  scope: Scope,
  field: string,
  expected: JsonType,
  isExpected: (value: Json) => value is T,
): Awaitable<T> {
  return whenReady(template.evaluate(scope, scope.input), (value) => {
    if (isExpected(value)) return value;
    const text = isExpression(template.source)
      ? expressionOf(template.source)
      : quoteJson(template.source);
    throw queryError(
      scope,
      field,
      `The JSONata expression '${text}' specified for the field '${field}' returned an unexpected result type. Expected '${expected}', but was '${jsonTypeOf(value)}' for value: ${quoteJson(value)}`,
    );
  });
}

export function jsonTypeOf(value: Json): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
