import type { Json } from './json.ts';
import { parseTimestamp } from './timestamp.ts';
import { matchesWildcard } from './matches-wildcard.ts';

const orders = {
  Equals: (order: number) => order === 0,
  LessThan: (order: number) => order < 0,
  LessThanEquals: (order: number) => order <= 0,
  GreaterThan: (order: number) => order > 0,
  GreaterThanEquals: (order: number) => order >= 0,
};
type Order = keyof typeof orders;

/**
 * The comparison operators of a Choice Rule, without those that take a path (`…Path` compares in the same way)
 * and without IsPresent, which asks for no value. https://states-language.net/spec.html#choice-state
 */
export type ComparisonOperator =
  | `${'String' | 'Numeric' | 'Timestamp'}${Order}`
  | 'StringMatches'
  | 'BooleanEquals'
  | 'IsNull'
  | 'IsString'
  | 'IsNumeric'
  | 'IsBoolean'
  | 'IsTimestamp';

type Comparison = (value: Json, operand: Json) => boolean;

function ordered(kind: string, compare: (value: Json, operand: Json) => number | undefined) {
  return Object.entries(orders).map(([name, isInOrder]): [string, Comparison] => [
    kind + name,
    (value, operand) => {
      const order = compare(value, operand);
      return order !== undefined && isInOrder(order);
    },
  ]);
}

function typeTest(test: (value: Json) => boolean): Comparison {
  return (value, operand) => test(value) === operand;
}

const comparisons = new Map<string, Comparison>([
  ...ordered('String', compareTexts),
  ...ordered('Numeric', compareNumbers),
  ...ordered('Timestamp', compareTimestamps),
  [
    'StringMatches',
    (value, operand) => isText(value) && isText(operand) && matchesWildcard(operand, value),
  ],
  ['BooleanEquals', (value, operand) => typeof value === 'boolean' && value === operand],
  ['IsNull', typeTest((value) => value === null)],
  ['IsString', typeTest(isText)],
  ['IsNumeric', typeTest((value) => typeof value === 'number')],
  ['IsBoolean', typeTest((value) => typeof value === 'boolean')],
  ['IsTimestamp', typeTest((value) => isText(value) && parseTimestamp(value) !== undefined)],
]);

export function isComparisonOperator(name: string): name is ComparisonOperator {
  return comparisons.has(name);
}

/** Values of another type than the operator's never match; that is no error. */
export function compareValues(operator: ComparisonOperator, value: Json, operand: Json): boolean {
  return comparisons.get(operator)?.(value, operand) ?? false;
}

function isText(value: Json): value is string {
  return typeof value === 'string';
}

function compareTexts(value: Json, operand: Json): number | undefined {
  if (!isText(value) || !isText(operand)) return undefined;
  if (value === operand) return 0;
  return value < operand ? -1 : 1;
}

function compareNumbers(value: Json, operand: Json): number | undefined {
  return typeof value === 'number' && typeof operand === 'number' ? value - operand : undefined;
}

function compareTimestamps(value: Json, operand: Json): number | undefined {
  const left = isText(value) ? parseTimestamp(value) : undefined;
  const right = isText(operand) ? parseTimestamp(operand) : undefined;
  return left === undefined || right === undefined ? undefined : left - right;
}
