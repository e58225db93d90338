import type {
  Catcher,
  MapState,
  ParallelState,
  PassState,
  SucceedState,
  TaskState,
  WaitState,
} from '../definition/ast.ts';
import { evaluateAssign } from './assign.ts';
import { applyPath, effectiveInput } from './effective-input.ts';
import { whenReady, type Awaitable, type Json, type JsonObject, quoteJson } from './json.ts';
import { putAt, type ReferencePath } from './jsonpath/reference-path.ts';
import type { ErrorOutput, Recorder, Scope } from './scope.ts';
import { StatesError, whileExecuting } from './states-error.ts';
import { evaluateArguments } from './state-arguments.ts';
import type { Template } from './template.ts';

/** What a state hands on: its output, and the variables it assigns (undefined when it has no Assign). */
export type Finished = { readonly output: Json; readonly assigned?: JsonObject };

/**
 * Finishes a Task, Parallel or Map with its result: ResultSelector, ResultPath, OutputPath and Assign
 * (JSONPath), or Output and Assign (JSONata). Throws or rejects with StatesError.
 */
export function finishWithResult(
  state: TaskState | ParallelState | MapState,
  scope: Scope,
  result: Json,
  record?: Recorder,
): Awaitable<Finished> {
  const resultScope = { ...scope, result };
  if (state.queryLanguage === 'JSONata') return finishJsonata(state, resultScope, result);
  const selected = state.resultSelector ? state.resultSelector.evaluate(scope, result) : result;
  return whenReady(selected, (value) => {
    record?.('afterResultSelector', value);
    const combined = combine(state.resultPath, scope, value);
    record?.('afterResultPath', combined);
    return finishJsonPath(state, scope, combined, result);
  });
}

/** Finishes a Pass: Result, or Parameters of the effective input, as its result. */
export function finishPass(state: PassState, scope: Scope, record?: Recorder): Awaitable<Finished> {
  if (state.queryLanguage === 'JSONata') return finishJsonata(state, scope, scope.input);
  return whenReady(evaluateArguments(state, scope, record), (passed) => {
    const result = state.result === undefined ? passed : state.result;
    const combined = combine(state.resultPath, scope, result);
    record?.('afterResultPath', combined);
    return finishJsonPath(state, scope, combined, result);
  });
}

/** Finishes a Wait or Succeed, which have no result: their output is their effective input. */
export function finishWithoutResult(
  state: WaitState | SucceedState,
  scope: Scope,
  record?: Recorder,
): Awaitable<Finished> {
  if (state.queryLanguage === 'JSONata') return finishJsonata(state, scope, scope.input);
  const input = effectiveInput(state, scope, record);
  return finishJsonPath(state, scope, input, input);
}

/** The output and variables with which a Catcher sends the execution on. */
export function finishCatch(
  catcher: Catcher,
  queryLanguage: 'JSONPath' | 'JSONata',
  scope: Scope,
  errorOutput: ErrorOutput,
): Awaitable<Finished> {
  const errorScope = { ...scope, errorOutput };
  if (queryLanguage === 'JSONata') return finishJsonata(catcher, errorScope, errorOutput);
  const output = combine(catcher.resultPath, scope, errorOutput);
  return withAssigned(output, evaluateAssign(catcher.assign, scope, errorOutput));
}

type Finishing = { readonly output?: Template; readonly assign?: Template };

/** Output and Assign are both evaluated on what held when the state was entered. */
function finishJsonata(state: Finishing, scope: Scope, otherwise: Json): Awaitable<Finished> {
  const output = state.output ? state.output.evaluate(scope, scope.input) : otherwise;
  return whenReady(output, (value) =>
    withAssigned(value, evaluateAssign(state.assign, scope, scope.input)),
  );
}

/** `assignInput` is what `$` stands for in Assign: the result as it came, or the effective input. */
function finishJsonPath(
  state: PassState | TaskState | ParallelState | MapState | WaitState | SucceedState,
  scope: Scope,
  value: Json,
  assignInput: Json,
): Awaitable<Finished> {
  const output = applyPath(state.outputPath, scope, value);
  const assign = 'assign' in state ? state.assign : undefined;
  return withAssigned(output, evaluateAssign(assign, scope, assignInput));
}

function withAssigned(
  output: Json,
  assigned: Awaitable<JsonObject | undefined>,
): Awaitable<Finished> {
  return whenReady(assigned, (each) =>
    each === undefined ? { output } : { output, assigned: each },
  );
}

/** ResultPath: the result in place of the raw input, or put into it, or (null) left out. */
function combine(path: ReferencePath | null | undefined, scope: Scope, result: Json): Json {
  if (path === undefined) return result;
  if (path === null) return scope.input;
  const combined = putAt(path, scope.input, result);
  if (combined !== undefined) return combined;
  throw new StatesError(
    'States.ResultPathMatchFailure',
    `${whileExecuting(scope)}Unable to apply ReferencePath ${path.text} to input ${quoteJson(scope.input)}`,
  );
}
