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
import { maxValueBytes, memoryLimitCode, registerStatesFunctions } from './states-functions.ts';

/** AWS's bound on nesting, and on the elements of a sequence. */
const maxDepth = 100;
const maxSequenceElements = 873_782;

/** An expression ready to run, again and again. */
export type RunnableExpression = (bindings: Bindings) => Promise<Outcome | typeof timedOut>;

/** The time given was too short; the caller decides what that means. */
export const timedOut = Symbol('timed out');

type Limits = {
  readonly timeoutMs: number;
  /** What regular expressions run on. */
  readonly RegexEngine: RegExpConstructor;
  /** Texts along the way are held to AWS's bound too, and not the result alone. */
  readonly isEveryTextBounded: boolean;
};

/** Throws JSONata's syntax errors. */
export function makeRunnable(
  text: string,
  { timeoutMs, RegexEngine, isEveryTextBounded }: Limits,
): RunnableExpression {
  const expression = jsonata(text, {
    timeout: timeoutMs,
    stack: maxDepth,
    sequence: maxSequenceElements,
    RegexEngine,
  });
  registerStatesFunctions(expression);
  if (isEveryTextBounded) expression.assign(onEvaluated, boundText);
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

/** jsonata calls what is bound to this symbol after each node it evaluates. */
const onEvaluated = Symbol.for('jsonata.__evaluate_exit') as unknown as string;

function boundText(_node: unknown, _input: unknown, _environment: unknown, value: unknown): void {
  if (typeof value === 'string' && value.length > maxValueBytes) {
    throw new ValueTooLargeError('The text is too long');
  }
}

function outcomeOfError(error: unknown): Outcome | typeof timedOut {
  if (error instanceof ValueTooLargeError) return outOfMemory;
  if (error instanceof RangeError) {
    return /call stack/i.test(error.message) ? tooDeep : outOfMemory;
  }
  const { code } = partsOfError(error);
  if (code === 'D1011') return tooDeep;
  if (code === 'D1012') return timedOut;
  if (code === 'D2014' || code === 'D2015' || code === memoryLimitCode) return outOfMemory;
  return failed(describeJsonataError(error));
}
