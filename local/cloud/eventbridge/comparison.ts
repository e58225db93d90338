import { compileWildcard } from './wildcard.ts';

/** Why EventBridge would refuse a pattern. */
export class InvalidPatternError extends Error {
  override readonly name = 'InvalidPatternError';
  constructor(reason: string, at = '', options?: ErrorOptions) {
    const place = at === '' ? '' : ` at ${at.slice(1)}`;
    super(`Event pattern is not valid. Reason: ${reason}${place}`, options);
  }
}

/** One element of a leaf's list in a pattern. */
export interface Comparison {
  matches(leaf: unknown): boolean;
  /** Whether it is met by a field that is not there. */
  readonly matchesAbsence: boolean;
}

type Test = (leaf: unknown) => boolean;

const OPERATORS: Readonly<Record<string, (operand: unknown, at: string) => Test>> = {
  prefix: (operand, at) => compileEnd('prefix', operand, at),
  suffix: (operand, at) => compileEnd('suffix', operand, at),
  'equals-ignore-case': compileIgnoreCase,
  wildcard: compileWildcardOperand,
  numeric: compileNumeric,
  'anything-but': compileAnythingBut,
};

/** Throws InvalidPatternError for an operator or operand that EventBridge refuses; `cidr` is not supported here. */
export function compileComparison(pattern: unknown, at: string): Comparison {
  if (isScalar(pattern)) return present((leaf) => leaf === pattern);
  if (!isRecord(pattern)) throw new InvalidPatternError('Nested arrays are not allowed', at);
  const [name, operand] = onlyField(pattern, at);
  if (name === 'exists') {
    if (typeof operand !== 'boolean') {
      throw new InvalidPatternError('exists match pattern must be either true or false', at);
    }
    return { matches: () => operand, matchesAbsence: !operand };
  }
  const compile = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
  if (!compile) throw new InvalidPatternError(`Unrecognized match type ${name}`, at);
  return present(compile(operand, at));
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const present = (matches: Test): Comparison => ({ matches, matchesAbsence: false });

const isScalar = (value: unknown): boolean =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);

function onlyField(object: Readonly<Record<string, unknown>>, at: string): [string, unknown] {
  const [field, ...more] = Object.entries(object);
  if (!field || more.length > 0) {
    throw new InvalidPatternError('Only one key allowed in match expression', at);
  }
  return field;
}

function compileEnd(side: 'prefix' | 'suffix', operand: unknown, at: string): Test {
  const ignoreCase = isRecord(operand);
  const wanted = ignoreCase ? operandOf(operand, 'equals-ignore-case', at) : operand;
  if (typeof wanted !== 'string') {
    throw new InvalidPatternError(`${side} match pattern must be a string`, at);
  }
  const fold = (text: string): string => (ignoreCase ? text.toLowerCase() : text);
  const end = fold(wanted);
  return (leaf) =>
    typeof leaf === 'string' &&
    (side === 'prefix' ? fold(leaf).startsWith(end) : fold(leaf).endsWith(end));
}

function operandOf(object: Readonly<Record<string, unknown>>, name: string, at: string): unknown {
  const [found, operand] = onlyField(object, at);
  if (found !== name) throw new InvalidPatternError(`Unrecognized match type ${found}`, at);
  return operand;
}

function compileIgnoreCase(operand: unknown, at: string): Test {
  if (typeof operand !== 'string') {
    throw new InvalidPatternError('equals-ignore-case match pattern must be a string', at);
  }
  const wanted = operand.toLowerCase();
  return (leaf) => typeof leaf === 'string' && leaf.toLowerCase() === wanted;
}

function compileWildcardOperand(operand: unknown, at: string): Test {
  if (typeof operand !== 'string') {
    throw new InvalidPatternError('wildcard match pattern must be a string', at);
  }
  const matches = compileWildcard(operand, (reason) => {
    throw new InvalidPatternError(reason, at);
  });
  return (leaf) => typeof leaf === 'string' && matches(leaf);
}

const NUMERIC: Readonly<Record<string, (leaf: number, bound: number) => boolean>> = {
  '=': (leaf, bound) => leaf === bound,
  '<': (leaf, bound) => leaf < bound,
  '<=': (leaf, bound) => leaf <= bound,
  '>': (leaf, bound) => leaf > bound,
  '>=': (leaf, bound) => leaf >= bound,
};
const NUMERIC_LIMIT = 5_000_000_000;

/** `["=", 5]`, `[">", 0]` or a range, lower bound first: `[">", 0, "<=", 5]`. */
function compileNumeric(operand: unknown, at: string): Test {
  if (!Array.isArray(operand) || (operand.length !== 2 && operand.length !== 4)) {
    throw new InvalidPatternError(
      'Value of numeric must be an array of one or two comparisons',
      at,
    );
  }
  const [first, low, second, high]: unknown[] = operand;
  if (second !== undefined) {
    if (!['>', '>='].includes(String(first)) || (second !== '<' && second !== '<=')) {
      throw new InvalidPatternError('Numeric range must have a lower bound, then an upper one', at);
    }
    if (Number(low) >= Number(high))
      throw new InvalidPatternError('Bottom must be less than top', at);
  }
  const tests = [numericTest(first, low, at)];
  if (second !== undefined) tests.push(numericTest(second, high, at));
  return (leaf) => typeof leaf === 'number' && tests.every((test) => test(leaf));
}

function numericTest(operator: unknown, bound: unknown, at: string): (leaf: number) => boolean {
  const compare =
    typeof operator === 'string' && Object.hasOwn(NUMERIC, operator)
      ? NUMERIC[operator]
      : undefined;
  if (!compare) {
    throw new InvalidPatternError(`Unrecognized numeric range operator: ${String(operator)}`, at);
  }
  if (typeof bound !== 'number' || Math.abs(bound) > NUMERIC_LIMIT) {
    throw new InvalidPatternError(
      `Value of ${String(operator)} must be a number between -${NUMERIC_LIMIT} and ${NUMERIC_LIMIT}`,
      at,
    );
  }
  return (leaf) => compare(leaf, bound);
}

/** A scalar, a list of strings or of numbers, or one of the string operators over a string or a list of strings. */
function compileAnythingBut(operand: unknown, at: string): Test {
  const excluded = isRecord(operand)
    ? excludedByOperator(operand, at)
    : excludedValues(operand, at);
  return (leaf) => !excluded.some((test) => test(leaf));
}

function excludedByOperator(operand: Readonly<Record<string, unknown>>, at: string): Test[] {
  const [name, value] = onlyField(operand, at);
  const compile = ['prefix', 'suffix', 'equals-ignore-case', 'wildcard'].includes(name)
    ? OPERATORS[name]
    : undefined;
  if (!compile) throw new InvalidPatternError(`Unsupported anything-but pattern: ${name}`, at);
  return nonEmptyList(value, at).map((one) => compile(one, at));
}

function excludedValues(operand: unknown, at: string): Test[] {
  const values = nonEmptyList(operand, at);
  const kinds = new Set(values.map((value) => typeof value));
  if (kinds.size > 1 || !values.every((value) => isScalar(value))) {
    throw new InvalidPatternError('Inside anything but list, all values must be of one kind', at);
  }
  return values.map((value) => (leaf) => leaf === value);
}

function nonEmptyList(value: unknown, at: string): readonly unknown[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.length === 0) throw new InvalidPatternError('Empty arrays are not allowed', at);
  return list;
}
