// EventBridge's event patterns: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html
import { compileComparison, type Comparison, InvalidPatternError, isRecord } from './comparison.ts';

export type EventMatcher = (event: Readonly<Record<string, unknown>>) => boolean;

/**
 * Compiles the JSON text of a pattern; throws InvalidPatternError with the reason when EventBridge would refuse it.
 *
 * All fields of an object must match; of a leaf's list one comparison must. An array in the event matches when one of
 * its elements does.
 */
export function compilePattern(text: string): EventMatcher {
  let pattern: unknown;
  try {
    pattern = JSON.parse(text);
  } catch (error) {
    throw new InvalidPatternError('it is not valid JSON', '', { cause: error });
  }
  if (!isRecord(pattern)) throw new InvalidPatternError('Filter is not an object');
  return compileObject(pattern, '');
}

function compileObject(pattern: Readonly<Record<string, unknown>>, at: string): EventMatcher {
  const fields = Object.entries(pattern);
  if (fields.length === 0) throw new InvalidPatternError('Empty objects are not allowed', at);
  const matchers = fields.map(([name, value]) =>
    name === '$or' ? compileOr(value, at) : compileField(name, value, `${at}.${name}`),
  );
  return (event) => matchers.every((matches) => matches(event));
}

function compileOr(value: unknown, at: string): EventMatcher {
  if (!Array.isArray(value) || value.length < 2 || !value.every((one) => isRecord(one))) {
    throw new InvalidPatternError('$or must be an array of at least two objects', at);
  }
  const alternatives = value.map((one) => compileObject(one, `${at}.$or`));
  return (event) => alternatives.some((matches) => matches(event));
}

function compileField(name: string, value: unknown, at: string): EventMatcher {
  if (Array.isArray(value)) {
    if (value.length === 0) throw new InvalidPatternError('Empty arrays are not allowed', at);
    const comparisons = value.map((one: unknown) => compileComparison(one, at));
    return (event) => matchesLeaf(comparisons, event[name]);
  }
  if (!isRecord(value)) throw new InvalidPatternError('must be an object or an array', at);
  const nested = compileObject(value, at);
  // A pattern may be met by the absence of what it names, so a missing object is looked into as an empty one.
  return (event) => {
    const objects = flatten(event[name]).filter((one) => isRecord(one));
    return objects.length === 0 ? nested({}) : objects.some((one) => nested(one));
  };
}

function matchesLeaf(comparisons: readonly Comparison[], value: unknown): boolean {
  // Only leaves take part: an object or an empty array counts as absent.
  const leaves = flatten(value).filter((one) => one !== undefined && !isRecord(one));
  return comparisons.some((comparison) =>
    leaves.length === 0
      ? comparison.matchesAbsence
      : leaves.some((leaf) => comparison.matches(leaf)),
  );
}

function flatten(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.flat(Infinity) : [value];
}
