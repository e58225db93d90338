import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type Json } from '../json.ts';
import type { Filter, FilterOperator, Operand, PathOperand, Step } from './jsonpath.ts';
import type { Evaluation } from './evaluate-jsonpath.ts';
import { PathFunctionError } from './evaluate-path-function.ts';
import { PathNotFoundError } from './follow-definite.ts';

type EvaluateSteps = (
  steps: readonly Step[],
  root: Json,
  evaluation: Evaluation,
  isDefinite: boolean,
) => Json;

/** Whether a filter holds for one candidate; a path in it that leads nowhere is `undefined`, not an error. */
export function matchesFilter(
  filter: Filter,
  candidate: Json,
  evaluation: Evaluation,
  evaluateSteps: EvaluateSteps,
): boolean {
  const holds = (each: Filter): boolean =>
    matchesFilter(each, candidate, evaluation, evaluateSteps);
  switch (filter.kind) {
    case 'and':
      return filter.filters.every(holds);
    case 'or':
      return filter.filters.some(holds);
    case 'not':
      return !holds(filter.filter);
    case 'exists':
      return exists(
        pathValue(filter.operand, candidate, evaluation, evaluateSteps),
        filter.operand,
      );
    case 'compare': {
      const value = (operand: Operand): Json | undefined =>
        operandValue(operand, candidate, evaluation, evaluateSteps);
      if (filter.operator === '=~') return matchesPattern(value(filter.left), filter.right);
      return compare(filter.operator, value(filter.left), value(filter.right));
    }
  }
}

function operandValue(
  operand: Operand,
  candidate: Json,
  evaluation: Evaluation,
  evaluateSteps: EvaluateSteps,
): Json | undefined {
  if (operand.kind === 'literal') return operand.value;
  if (operand.kind === 'pattern') return undefined;
  return pathValue(operand, candidate, evaluation, evaluateSteps);
}

function pathValue(
  operand: PathOperand,
  candidate: Json,
  evaluation: Evaluation,
  evaluateSteps: EvaluateSteps,
): Json | undefined {
  try {
    if (operand.kind === 'current') {
      return evaluateSteps(operand.steps, candidate, evaluation, operand.isDefinite);
    }
    const { root, steps, isDefinite } = operand.path;
    const { roots } = evaluation;
    const start = root.kind === 'context' ? roots.context() : roots.input;
    const from = root.kind === 'variable' ? roots.variables[root.name] : start;
    return from === undefined ? undefined : evaluateSteps(steps, from, evaluation, isDefinite);
  } catch (error) {
    if (error instanceof PathNotFoundError || error instanceof PathFunctionError) return undefined;
    throw error;
  }
}

function exists(value: Json | undefined, operand: PathOperand): boolean {
  const isDefinite = operand.kind === 'current' ? operand.isDefinite : operand.path.isDefinite;
  if (isDefinite) return value !== undefined;
  return Array.isArray(value) && value.length > 0;
}

function matchesPattern(value: Json | undefined, pattern: Operand): boolean {
  return typeof value === 'string' && pattern.kind === 'pattern' && pattern.matches(value);
}

function compare(
  operator: FilterOperator,
  left: Json | undefined,
  right: Json | undefined,
): boolean {
  switch (operator) {
    case '==':
      return isEqual(left, right);
    case '!=':
      return !isEqual(left, right);
    case '<':
      return isOrdered(left, right, (a, b) => a < b);
    case '<=':
      return isOrdered(left, right, (a, b) => a <= b);
    case '>':
      return isOrdered(left, right, (a, b) => a > b);
    case '>=':
      return isOrdered(left, right, (a, b) => a >= b);
    case 'in':
      return includes(right, left);
    case 'nin':
      return !includes(right, left);
    case 'contains':
      return contains(left, right);
    case 'subsetof':
      return listOf(left).every((each) => includes(right, each));
    case 'anyof':
      return listOf(left).some((each) => includes(right, each));
    case 'noneof':
      return !listOf(left).some((each) => includes(right, each));
    case 'size':
      return sizeOf(left) === sizeOperand(right);
    case 'empty':
      return (sizeOf(left) === 0) === right;
    case '=~':
      return false;
  }
}

function isEqual(left: Json | undefined, right: Json | undefined): boolean {
  return isDeepStrictEqual(left, right);
}

function isOrdered(
  left: Json | undefined,
  right: Json | undefined,
  holds: (left: number | string, right: number | string) => boolean,
): boolean {
  if (typeof left === 'number' && typeof right === 'number') return holds(left, right);
  return typeof left === 'string' && typeof right === 'string' && holds(left, right);
}

function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

function includes(list: Json | undefined, value: Json | undefined): boolean {
  return listOf(list).some((each) => isEqual(each, value));
}

function contains(container: Json | undefined, value: Json | undefined): boolean {
  if (typeof container === 'string') return typeof value === 'string' && container.includes(value);
  return includes(container, value);
}

function sizeOf(value: Json | undefined): number | undefined {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  return isJsonObject(value) ? Object.keys(value).length : undefined;
}

function sizeOperand(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? value : sizeOf(value);
}
