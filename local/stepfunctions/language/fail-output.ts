import type { FailState, TextField } from '../definition/ast.ts';
import { whenReady, type Awaitable, type Json, quoteJson } from './json.ts';
import { evaluateAs } from './jsonata-template.ts';
import type { Scope } from './scope.ts';
import { runtimeError } from './states-error.ts';

/** The error and cause a Fail state ends with, each absent where the state has no such field. */
export type Failure = { readonly error?: string; readonly cause?: string };

/** Throws or rejects with StatesError. */
export function failOutput(state: FailState, scope: Scope): Awaitable<Failure> {
  return whenReady(text(state.error, scope), (error) =>
    whenReady(text(state.failCause, scope), (cause) => ({
      ...(error === undefined ? {} : { error }),
      ...(cause === undefined ? {} : { cause }),
    })),
  );
}

function text(field: TextField | undefined, scope: Scope): Awaitable<string | undefined> {
  if (field === undefined) return undefined;
  if (field.kind === 'value') return field.value;
  if (field.kind === 'expression') {
    return evaluateAs(field.template, scope, field.field, 'string', isString);
  }
  return whenReady(field.template.evaluate(scope, scope.input), (value) => {
    if (isString(value)) return value;
    throw runtimeError(
      scope,
      `The ${field.field} parameter does not reference a string: ${quoteJson(field.template.source)} == ${quoteJson(value)}`,
    );
  });
}

function isString(value: Json): value is string {
  return typeof value === 'string';
}
