import { isJsonObject, whenReady, type Awaitable, type Json, type JsonObject } from './json.ts';
import type { Scope, Variables } from './scope.ts';
import { StatesError, whileExecuting } from './states-error.ts';
import type { Template } from './template.ts';

/**
 * Limits of https://docs.aws.amazon.com/step-functions/latest/dg/workflow-variables.html: of a variable and of
 * one Assign field, and of all variables of an execution.
 */
const maxAssignBytes = 256 * 1024;
const maxVariablesBytes = 10 * 1024 * 1024;

/** The variables an Assign gives; undefined without one. All see the values from before. */
export function evaluateAssign(
  assign: Template | undefined,
  scope: Scope,
  input: Json,
): Awaitable<JsonObject | undefined> {
  if (!assign) return undefined;
  return whenReady(assign.evaluate(scope, input), (assigned) => {
    if (!isJsonObject(assigned)) throw new TypeError('an Assign field is always an object');
    checkSize(assigned, scope);
    return assigned;
  });
}

function checkSize(assigned: JsonObject, scope: Scope): void {
  const assignBytes = bytesOf(assigned);
  if (assignBytes > maxAssignBytes) {
    throw tooLarge(
      scope,
      `The Assign field gives ${assignBytes} bytes; at most ${maxAssignBytes} are allowed.`,
    );
  }
  const kept = Object.entries(scope.variables).filter(([name]) => !Object.hasOwn(assigned, name));
  if (assignBytes + bytesOf(Object.fromEntries(kept)) > maxVariablesBytes) {
    throw tooLarge(
      scope,
      `The variables of an execution can have at most ${maxVariablesBytes} bytes.`,
    );
  }
}

function tooLarge(scope: Scope, text: string): StatesError {
  return new StatesError('States.DataLimitExceeded', whileExecuting(scope) + text);
}

function bytesOf(variables: Variables): number {
  return Buffer.byteLength(JSON.stringify(variables));
}
