import type { PathField, State } from '../definition/ast.ts';
import type { Json } from './json.ts';
import { evaluateJsonPath } from './jsonpath/evaluate-jsonpath.ts';
import { PathNotFoundError } from './jsonpath/follow-definite.ts';
import { PathFunctionError } from './jsonpath/evaluate-path-function.ts';
import type { Recorder, Scope } from './scope.ts';
import { runtimeError } from './states-error.ts';

/** The state's input after InputPath (JSONPath), as it is (JSONata). Throws StatesError. */
export function effectiveInput(state: State, scope: Scope, record?: Recorder): Json {
  if (state.queryLanguage === 'JSONata') return scope.input;
  const path = 'inputPath' in state ? state.inputPath : undefined;
  const input = applyPath(path, scope, scope.input);
  record?.('afterInputPath', input);
  return input;
}

/** InputPath or OutputPath on `value`: absent gives it whole, `null` gives `{}`. Throws StatesError. */
export function applyPath(field: PathField | null | undefined, scope: Scope, value: Json): Json {
  if (field === undefined) return value;
  if (field === null) return {};
  return evaluatePathField(field, scope, value);
}

/** The value at a path that has to be there, with the words AWS has for one that is not. Throws StatesError. */
export function evaluatePathField({ path }: PathField, scope: Scope, input: Json): Json {
  try {
    return evaluateJsonPath(path, { input, context: scope.context, variables: scope.variables });
  } catch (error) {
    if (!(error instanceof PathNotFoundError) && !(error instanceof PathFunctionError)) throw error;
    throw runtimeError(scope, `Invalid path '${path.text}' : ${error.message}`);
  }
}
