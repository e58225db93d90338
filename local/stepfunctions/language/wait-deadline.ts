import type { TimestampField, WaitState } from '../definition/ast.ts';
import { effectiveInput } from './effective-input.ts';
import { whenReady, type Awaitable, type Json, quoteJson } from './json.ts';
import { evaluateAs } from './jsonata-template.ts';
import type { JsonPath } from './jsonpath/jsonpath.ts';
import { findJsonPath } from './jsonpath/evaluate-jsonpath.ts';
import { evaluateNumber, type NumberRange } from './number-field.ts';
import type { Scope } from './scope.ts';
import { queryError, runtimeError } from './states-error.ts';
import { parseTimestamp } from './timestamp.ts';

/** The longest Wait: https://docs.aws.amazon.com/step-functions/latest/dg/state-wait.html */
const maxSeconds = 99_999_999;
const secondsRange: NumberRange = {
  kind: 'integer',
  isInRange: (value) => value >= 0 && value <= maxSeconds,
  problem: `The Seconds field must be between 0 and ${maxSeconds}.`,
};

/**
 * When a Wait ends, in milliseconds since 1970; past moments are moments too. `enteredAtMs` is when it began.
 * Throws or rejects with StatesError.
 */
export function waitDeadlineMs(
  state: WaitState,
  scope: Scope,
  enteredAtMs: number,
): Awaitable<number> {
  const input = effectiveInput(state, scope);
  if (state.seconds) {
    const { seconds } = state;
    const value =
      seconds.kind === 'path'
        ? secondsAt(seconds.path, scope, input)
        : evaluateNumber(seconds, secondsRange, scope, input);
    return whenReady(value, (each) => enteredAtMs + each * 1000);
  }
  return state.timestamp ? timestampMs(state.timestamp, scope, input) : enteredAtMs;
}

/** SecondsPath; a negative number ends the Wait at once, as on AWS. */
function secondsAt(path: JsonPath, scope: Scope, input: Json): number {
  const value = valueAt(path, scope, input);
  if (value === undefined) {
    throw runtimeError(
      scope,
      `The SecondsPath parameter does not reference an input value: ${path.text}`,
    );
  }
  if (typeof value === 'number' && Number.isInteger(value)) {
    if (value <= maxSeconds) return Math.max(0, value);
    throw runtimeError(
      scope,
      `The SecondsPath parameter references a value greater than the maximum of ${maxSeconds}: ${path.text} == ${value}`,
    );
  }
  throw runtimeError(
    scope,
    `The SecondsPath parameter cannot be parsed as a long value: ${path.text} == ${plain(value)}`,
  );
}

function timestampMs(field: TimestampField, scope: Scope, input: Json): Awaitable<number> {
  if (field.kind === 'path') return timestampAt(field.path, scope, input);
  const text =
    field.kind === 'value'
      ? field.value
      : evaluateAs(field.template, scope, field.field, 'string', isString);
  return whenReady(text, (each) => {
    const at = parseTimestamp(each);
    if (at === undefined) throw notATimestamp(scope, each);
    return at;
  });
}

function timestampAt(path: JsonPath, scope: Scope, input: Json): number {
  const value = valueAt(path, scope, input);
  if (value === undefined) {
    throw runtimeError(
      scope,
      `The TimestampPath parameter does not reference an input value: ${path.text}`,
    );
  }
  const at = typeof value === 'string' ? parseTimestamp(value) : undefined;
  if (at !== undefined) return at;
  throw runtimeError(
    scope,
    `The TimestampPath parameter does not reference a valid ISO-8601 extended offset date-time format string: ${path.text} == ${plain(value)}`,
  );
}

function valueAt(path: JsonPath, scope: Scope, input: Json): Json | undefined {
  return findJsonPath(path, { input, context: scope.context, variables: scope.variables });
}

function notATimestamp(scope: Scope, text: string): Error {
  return queryError(
    scope,
    'Timestamp',
    `The Timestamp field cannot be parsed as an ISO-8601 extended offset date-time format string: ${text}`,
  );
}

function isString(value: Json): value is string {
  return typeof value === 'string';
}

function plain(value: Json): string {
  return typeof value === 'string' ? value : quoteJson(value);
}
