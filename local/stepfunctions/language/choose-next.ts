import type { ChoiceRule, ChoiceState, Condition } from '../definition/ast.ts';
import { evaluateAssign } from './assign.ts';
import { compareValues } from './compare-values.ts';
import { applyPath, effectiveInput } from './effective-input.ts';
import type { Finished } from './finish-state.ts';
import { whenReady, type Awaitable, type Json } from './json.ts';
import { evaluateAs } from './jsonata-template.ts';
import { findJsonPath, type PathRoots } from './jsonpath/evaluate-jsonpath.ts';
import type { JsonPath } from './jsonpath/jsonpath.ts';
import type { Recorder, Scope } from './scope.ts';
import { runtimeError } from './states-error.ts';

export type Chosen = Finished & { readonly next: string };

/**
 * Where a Choice goes: the first rule that holds, or Default; with that rule's (or, for Default, the state's)
 * Output and Assign. Throws or rejects with StatesError, also when nothing holds and there is no Default.
 */
export function chooseNext(state: ChoiceState, scope: Scope, record?: Recorder): Awaitable<Chosen> {
  const input = effectiveInput(state, scope, record);
  return whenReady(findRule(state, scope, input, 0), (rule) => {
    const next = rule ? rule.next : state.default;
    if (next === undefined) {
      throw runtimeError(
        scope,
        'Failed to transition out of the state. The state does not point to a next state.',
      );
    }
    return whenReady(finishChoice(state, rule ?? state, scope, input), (finished) => ({
      ...finished,
      next,
    }));
  });
}

/** Rule after rule; later ones are not evaluated once one holds. */
function findRule(
  state: ChoiceState,
  scope: Scope,
  input: Json,
  index: number,
): Awaitable<ChoiceRule | undefined> {
  const rule = state.choices[index];
  if (!rule) return undefined;
  return whenReady(holds(rule.condition, scope, input), (isMatch) =>
    isMatch ? rule : findRule(state, scope, input, index + 1),
  );
}

function finishChoice(
  state: ChoiceState,
  fields: Pick<ChoiceRule, 'assign' | 'output'>,
  scope: Scope,
  input: Json,
): Awaitable<Finished> {
  const isJsonata = state.queryLanguage === 'JSONata';
  const output = isJsonata
    ? (fields.output?.evaluate(scope, scope.input) ?? scope.input)
    : applyPath(state.outputPath, scope, input);
  return whenReady(output, (value) =>
    whenReady(evaluateAssign(fields.assign, scope, input), (assigned) =>
      assigned === undefined ? { output: value } : { output: value, assigned },
    ),
  );
}

function holds(condition: Condition, scope: Scope, input: Json): Awaitable<boolean> {
  if (condition.kind === 'expression') {
    return evaluateAs(
      condition.template,
      scope,
      condition.field,
      'boolean',
      (value): value is boolean => typeof value === 'boolean',
    );
  }
  return matches(condition, scope, {
    input,
    context: scope.context,
    variables: scope.variables,
  });
}

function matches(condition: Condition, scope: Scope, roots: PathRoots): boolean {
  switch (condition.kind) {
    case 'and':
      return condition.conditions.every((each) => matches(each, scope, roots));
    case 'or':
      return condition.conditions.some((each) => matches(each, scope, roots));
    case 'not':
      return !matches(condition.condition, scope, roots);
    case 'presence': {
      return (findJsonPath(condition.variable, roots) !== undefined) === condition.expected;
    }
    case 'comparison': {
      const value = valueAt(condition.variable, scope, roots);
      const { operand } = condition;
      const other = operand.kind === 'path' ? valueAt(operand.path, scope, roots) : operand.value;
      return compareValues(condition.operator, value, other);
    }
    case 'expression':
      throw new TypeError('a Condition expression stands alone');
  }
}

function valueAt(path: JsonPath, scope: Scope, roots: PathRoots): Json {
  const value = findJsonPath(path, roots);
  if (value !== undefined) return value;
  throw runtimeError(
    scope,
    `Invalid path '${path.text}': The choice state's condition path references an invalid value.`,
  );
}
