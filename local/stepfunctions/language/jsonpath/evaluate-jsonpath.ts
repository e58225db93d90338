import { getOwn, isJsonObject, type Json, type JsonObject } from '../json.ts';
import { evaluatePathFunction, PathFunctionError } from './evaluate-path-function.ts';
import { followDefinite, PathNotFoundError } from './follow-definite.ts';
import { matchesFilter } from './matches-filter.ts';
import { PathBudget } from './path-budget.ts';
import type { JsonPath, Step } from './jsonpath.ts';

/** What the three roots `$`, `$$` and `$name` stand for. */
export type PathRoots = {
  readonly input: Json;
  readonly context: () => JsonObject;
  readonly variables: Readonly<Record<string, Json>>;
};

/** One evaluation of a path, with the paths in its filters. */
export type Evaluation = { readonly roots: PathRoots; readonly budget: PathBudget };

/**
 * Evaluates a path: the value of a definite one, the list of an indefinite one. Throws PathNotFoundError, and
 * PathFunctionError for a function on data it cannot take.
 */
export function evaluateJsonPath(path: JsonPath, roots: PathRoots): Json {
  if (path.isDefinite) return followDefinite(path.steps, rootValue(path, roots));
  try {
    const evaluation = { roots, budget: new PathBudget() };
    return evaluateSteps(path.steps, rootValue(path, roots), evaluation, false);
  } catch (error) {
    // Comparing values in a filter recurses.
    if (error instanceof RangeError) throw new PathFunctionError('The value nests too deep');
    throw error;
  }
}

/** The same, with `undefined` for a path that gives nothing. */
export function findJsonPath(path: JsonPath, roots: PathRoots): Json | undefined {
  try {
    return evaluateJsonPath(path, roots);
  } catch (error) {
    if (error instanceof PathNotFoundError || error instanceof PathFunctionError) return undefined;
    throw error;
  }
}

function rootValue({ root }: JsonPath, roots: PathRoots): Json {
  if (root.kind === 'input') return roots.input;
  if (root.kind === 'context') return roots.context();
  const value = Object.hasOwn(roots.variables, root.name) ? roots.variables[root.name] : undefined;
  if (value === undefined) throw new PathNotFoundError(`Variable '${root.name}' is not defined`);
  return value;
}

export function evaluateSteps(
  steps: readonly Step[],
  root: Json,
  evaluation: Evaluation,
  isDefinite: boolean,
): Json {
  if (isDefinite) return followDefinite(steps, root);
  let nodes: Json[] = [root];
  for (const [position, step] of steps.entries()) {
    if (step.kind === 'function') {
      return applyTailFunction(step, steps.slice(0, position), nodes);
    }
    const found: Json[] = [];
    for (const node of nodes) select(step, node, evaluation, found);
    nodes = found;
  }
  return nodes;
}

/** Behind a wildcard a function is applied to each node, behind `..`, a filter or a slice to the list. */
function applyTailFunction(
  step: Extract<Step, { kind: 'function' }>,
  before: readonly Step[],
  nodes: Json[],
): Json {
  const isPerNode =
    before.every((each) => each.kind !== 'descendants') && before.at(-1)?.kind === 'name';
  if (!isPerNode) return evaluatePathFunction(step.name, nodes, step.argument);
  return nodes.map((node) => evaluatePathFunction(step.name, node, step.argument));
}

function select(step: Step, node: Json, evaluation: Evaluation, found: Json[]): void {
  evaluation.budget.visit();
  switch (step.kind) {
    case 'name':
      selectName(step.name, node, found);
      return;
    case 'names':
      for (const name of step.names) selectName(name, node, found);
      return;
    case 'index':
      selectIndex(step.index, node, found);
      return;
    case 'indexes':
      for (const index of step.indexes) selectIndex(index, node, found);
      return;
    case 'slice':
      if (Array.isArray(node)) selectSlice(step, node, evaluation, found);
      return;
    case 'wildcard':
      selectChildren(node, evaluation, found);
      return;
    case 'filter':
      selectFiltered(step, node, evaluation, found);
      return;
    case 'descendants':
      selectDescendants(step.step, node, evaluation, found);
      return;
    case 'function':
      found.push(evaluatePathFunction(step.name, node, step.argument));
  }
}

function children(node: Json): Json[] {
  if (Array.isArray(node)) return node;
  return isJsonObject(node) ? Object.values(node) : [];
}

function selectChildren(node: Json, { budget }: Evaluation, found: Json[]): void {
  const below = children(node);
  budget.visit(below.length);
  for (const child of below) found.push(child);
}

function selectName(name: string, node: Json, found: Json[]): void {
  const value = isJsonObject(node) ? getOwn(node, name) : undefined;
  if (value !== undefined) found.push(value);
}

function selectIndex(index: number, node: Json, found: Json[]): void {
  const value = Array.isArray(node) ? node.at(index) : undefined;
  if (value !== undefined) found.push(value);
}

function selectSlice(
  step: Extract<Step, { kind: 'slice' }>,
  node: Json[],
  { budget }: Evaluation,
  found: Json[],
): void {
  budget.visit(node.length);
  const part = node.slice(step.start ?? 0, step.end ?? node.length);
  for (let index = 0; index < part.length; index += step.step) {
    const value = part[index];
    if (value !== undefined) found.push(value);
  }
}

function selectFiltered(
  step: Extract<Step, { kind: 'filter' }>,
  node: Json,
  evaluation: Evaluation,
  found: Json[],
): void {
  const candidates = Array.isArray(node) ? node : isJsonObject(node) ? [node] : [];
  for (const candidate of candidates) {
    evaluation.budget.visit();
    evaluation.budget.checkTime();
    if (matchesFilter(step.filter, candidate, evaluation, evaluateSteps)) found.push(candidate);
  }
}

function selectDescendants(step: Step, node: Json, evaluation: Evaluation, found: Json[]): void {
  // A stack and not recursion: input may nest as deep as its text is long.
  const open: Json[] = [node];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    select(step, next, evaluation, found);
    const below = children(next);
    for (let index = below.length - 1; index >= 0; index -= 1) {
      const child = below[index];
      if (typeof child === 'object' && child !== null) open.push(child);
    }
  }
}
