import type { ParallelState, PassState, TaskState } from '../definition/ast.ts';
import { effectiveInput } from './effective-input.ts';
import { whenReady, type Awaitable, type Json } from './json.ts';
import { evaluateNumber, type NumberRange } from './number-field.ts';
import type { Recorder, Scope } from './scope.ts';

/** "A positive integer up to 99999999": https://docs.aws.amazon.com/step-functions/latest/dg/state-task.html */
const maxSeconds = 99_999_999;
const seconds = (field: string): NumberRange => ({
  kind: 'integer',
  isInRange: (value) => value > 0 && value <= maxSeconds,
  problem: `${field} must be between 1 and ${maxSeconds}.`,
});
const timeoutRange = seconds('TimeoutSeconds');
const heartbeatRange = seconds('HeartbeatSeconds');

/**
 * What a Task is called with, a Parallel's branches start with, a Pass passes on: Parameters of the effective
 * input (JSONPath), Arguments (JSONata), or the effective input itself. Throws or rejects with StatesError.
 */
export function evaluateArguments(
  state: PassState | TaskState | ParallelState,
  scope: Scope,
  record?: Recorder,
): Awaitable<Json> {
  const input = effectiveInput(state, scope, record);
  const template = state.arguments;
  const value = template ? template.evaluate(scope, input) : input;
  if (!record) return value;
  return whenReady(value, (each) => {
    if (state.queryLanguage === 'JSONPath') record('afterParameters', each);
    else if (template) record('afterArguments', each);
    return each;
  });
}

/** Credentials of a Task, `{RoleArn}`; undefined when it has none. */
export function evaluateCredentials(state: TaskState, scope: Scope): Awaitable<Json | undefined> {
  return state.credentials?.evaluate(scope, effectiveInput(state, scope));
}

/** TimeoutSeconds or TimeoutSecondsPath; undefined when the state has neither. */
export function evaluateTimeoutSeconds(
  state: TaskState,
  scope: Scope,
): Awaitable<number | undefined> {
  if (!state.timeoutSeconds) return undefined;
  return evaluateNumber(state.timeoutSeconds, timeoutRange, scope, effectiveInput(state, scope));
}

/** HeartbeatSeconds or HeartbeatSecondsPath; undefined when the state has neither. */
export function evaluateHeartbeatSeconds(
  state: TaskState,
  scope: Scope,
): Awaitable<number | undefined> {
  if (!state.heartbeatSeconds) return undefined;
  return evaluateNumber(
    state.heartbeatSeconds,
    heartbeatRange,
    scope,
    effectiveInput(state, scope),
  );
}
