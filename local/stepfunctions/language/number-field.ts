import type { NumberField } from '../definition/ast.ts';
import { evaluatePathField } from './effective-input.ts';
import { isJsonObject, type Awaitable, type Json, quoteJson } from './json.ts';
import { evaluateAs } from './jsonata-template.ts';
import type { Scope } from './scope.ts';
import { queryError, runtimeError } from './states-error.ts';

type NumberKind = 'integer' | 'float';

/** What the numbers of a field must hold to; `problem` is AWS's sentence for those that do not. */
export type NumberRange = {
  readonly kind: NumberKind;
  readonly isInRange: (value: number) => boolean;
  readonly problem: string;
};

/**
 * The value of a number field. `input` is what `$` stands for. A path may lead to a number or to its text.
 * Throws or rejects with StatesError.
 */
export function evaluateNumber(
  field: NumberField,
  range: NumberRange,
  scope: Scope,
  input: Json,
): Awaitable<number> {
  if (field.kind === 'value') return field.value;
  if (field.kind === 'path') return numberAt(field, range, scope, input);
  return evaluateExpression(field, range, scope);
}

function numberAt(
  field: Extract<NumberField, { kind: 'path' }>,
  range: NumberRange,
  scope: Scope,
  input: Json,
): number {
  const value = evaluatePathField(field, scope, input);
  const number = toNumber(value, range.kind);
  if (number === undefined) {
    throw runtimeError(
      scope,
      `The ${field.field} field refers to value "${asText(value)}" which is not a valid ${range.kind}: ${field.path.text}`,
    );
  }
  if (!range.isInRange(number)) throw runtimeError(scope, range.problem);
  return number;
}

async function evaluateExpression(
  field: Extract<NumberField, { kind: 'expression' }>,
  range: NumberRange,
  scope: Scope,
): Promise<number> {
  const value = await evaluateAs(
    field.template,
    scope,
    field.field,
    range.kind === 'integer' ? 'integer' : 'number',
    (each): each is number => typeof each === 'number' && toNumber(each, range.kind) !== undefined,
  );
  if (!range.isInRange(value)) throw queryError(scope, field.field, range.problem);
  return value;
}

function toNumber(value: Json, kind: NumberKind): number | undefined {
  const isText = typeof value === 'string' && /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(value);
  const number = isText ? Number(value) : value;
  if (typeof number !== 'number') return undefined;
  return kind === 'float' || Number.isInteger(number) ? number : undefined;
}

/** How AWS's Jackson writes a node that is no number. */
function asText(value: Json): string {
  if (typeof value === 'string') return value;
  return isJsonObject(value) || Array.isArray(value) ? quoteJson(value) : String(value);
}
