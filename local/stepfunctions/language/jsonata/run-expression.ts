import jsonata from 'jsonata';
import { isOwnFunction, toJson, ValueTooLargeError } from './result-to-json.ts';
import {
  describeJsonataError,
  failed,
  outOfMemory,
  partsOfError,
  returnedNothing,
  tooDeep,
  unsupportedType,
  type Bindings,
  type Outcome,
} from './expression-outcome.ts';
import { memoryLimitCode, registerStatesFunctions } from './states-functions.ts';

/** AWS's bound on nesting, and on the elements of a sequence. */
const maxDepth = 100;
const maxSequenceElements = 873_782;

/** An expression ready to run, again and again. */
export type RunnableExpression = (bindings: Bindings) => Promise<Outcome | typeof timedOut>;

/** The time given was too short; the caller decides what that means. */
export const timedOut = Symbol('timed out');

/** `RegexEngine` is what regular expressions of the expression run on. Throws JSONata's syntax errors. */
export function makeRunnable(
  text: string,
  timeoutMs: number,
  RegexEngine: RegExpConstructor,
): RunnableExpression {
  const expression = jsonata(text, {
    timeout: timeoutMs,
    stack: maxDepth,
    sequence: maxSequenceElements,
    RegexEngine,
  });
  registerStatesFunctions(expression);
  return async (bindings) => {
    try {
      const result: unknown = await expression.evaluate(undefined, bindings);
      if (result === undefined) return returnedNothing;
      return isOwnFunction(result) ? unsupportedType : toJson(result);
    } catch (error) {
      return outcomeOfError(error);
    }
  };
}

function outcomeOfError(error: unknown): Outcome | typeof timedOut {
  if (error instanceof ValueTooLargeError) return outOfMemory;
  if (error instanceof RangeError) {
    return /call stack/i.test(error.message) ? tooDeep(maxDepth) : outOfMemory;
  }
  const { code } = partsOfError(error);
  if (code === 'D1011') return tooDeep(maxDepth);
  if (code === 'D1012') return timedOut;
  if (code === 'D2014' || code === 'D2015' || code === memoryLimitCode) return outOfMemory;
  return failed(describeJsonataError(error));
}
