import { type Json, quoteJson } from '../json.ts';
import { evaluateJsonPath } from '../jsonpath/evaluate-jsonpath.ts';
import { PathNotFoundError } from '../jsonpath/follow-definite.ts';
import { PathFunctionError } from '../jsonpath/evaluate-path-function.ts';
import type { JsonPath } from '../jsonpath/jsonpath.ts';
import type { Scope } from '../scope.ts';
import { runtimeError, StatesError, whileExecuting } from '../states-error.ts';
import { format } from './format.ts';
import { IntrinsicError } from './intrinsic-error.ts';
import { intrinsicFunctions } from './intrinsic-functions.ts';
import type { IntrinsicArgument, IntrinsicCall } from './parse-intrinsic.ts';

/**
 * Evaluates a call, inner calls first. Throws StatesError: States.Runtime for a path that leads nowhere,
 * States.IntrinsicFailure for an argument that the function cannot take.
 */
export function evaluateIntrinsic(call: IntrinsicCall, scope: Scope, input: Json): Json {
  try {
    return evaluateCall(call, scope, input);
  } catch (error) {
    const prefix = `The function '${call.text}' had the following error: `;
    if (error instanceof IntrinsicError) {
      throw new StatesError(
        'States.IntrinsicFailure',
        whileExecuting(scope) + prefix + error.message,
      );
    }
    if (error instanceof PathNotFoundError) throw runtimeError(scope, prefix + error.message);
    if (error instanceof RangeError) throw runtimeError(scope, `${prefix}The value nests too deep`);
    throw error;
  }
}

/** The variables that a call's paths start from. */
export function variablesOfIntrinsic(call: IntrinsicCall): string[] {
  return call.arguments.flatMap((argument) => {
    if (argument.kind === 'call') return variablesOfIntrinsic(argument.call);
    if (argument.kind !== 'path' || argument.path.root.kind !== 'variable') return [];
    return [argument.path.root.name];
  });
}

function evaluateCall(call: IntrinsicCall, scope: Scope, input: Json): Json {
  const values = call.arguments.map((argument) => evaluateArgument(argument, scope, input));
  if (call.name === 'Format') return formatCall(call, values);
  return intrinsicFunctions[call.name](values);
}

/** A template written in the definition keeps its backslashes, so that `\{` is no placeholder. */
function formatCall(call: IntrinsicCall, [template, ...values]: Json[]): Json {
  const [first] = call.arguments;
  const raw = first?.kind === 'literal' ? first.raw : undefined;
  return format(raw ?? template, values);
}

function evaluateArgument(argument: IntrinsicArgument, scope: Scope, input: Json): Json {
  if (argument.kind === 'literal') return argument.value;
  if (argument.kind === 'call') return evaluateCall(argument.call, scope, input);
  return evaluatePath(argument.path, scope, input);
}

function evaluatePath(path: JsonPath, scope: Scope, input: Json): Json {
  try {
    return evaluateJsonPath(path, { input, context: scope.context, variables: scope.variables });
  } catch (error) {
    if (error instanceof PathFunctionError) throw new IntrinsicError(error.message);
    if (!(error instanceof PathNotFoundError)) throw error;
    throw new PathNotFoundError(
      `The JsonPath argument for the field '${path.text}' could not be found in the input '${quoteJson(input)}'`,
    );
  }
}
