import { getOwn, isJsonObject, setOwn, type Json, type JsonObject, quoteJson } from '../json.ts';
import { evaluatePathFunction, PathFunctionError } from './evaluate-path-function.ts';
import { matchesFilter } from './matches-filter.ts';
import { PathBudget } from './path-budget.ts';
import type { JsonPath, Step } from './jsonpath.ts';

/** What the three roots `$`, `$$` and `$name` stand for. */
export type PathRoots = {
  readonly input: Json;
  readonly context: JsonObject;
  readonly variables: Readonly<Record<string, Json>>;
};

/** A definite path that leads nowhere; the message is Jayway JsonPath's, which AWS quotes. */
export class PathNotFoundError extends Error {
  override readonly name = 'PathNotFoundError';
  /** The last step is an index behind the end of a list that is there. */
  readonly isPastEnd: boolean;

  constructor(message: string, isPastEnd = false) {
    super(message);
    this.isPastEnd = isPastEnd;
  }
}

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
  if (root.kind === 'context') return roots.context;
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

function followDefinite(steps: readonly Step[], root: Json): Json {
  let value = root;
  for (const [position, step] of steps.entries()) {
    value = followStep(step, value, steps, position);
  }
  return value;
}

function followStep(step: Step, value: Json, steps: readonly Step[], position: number): Json {
  if (step.kind === 'function') return evaluatePathFunction(step.name, value, step.argument);
  if (step.kind === 'name') return member(step.name, value, steps, position);
  if (step.kind === 'index') return element(step.index, value, steps, position);
  if (step.kind === 'names') return membersOf(step.names, value, steps, position);
  throw new TypeError(`a definite path has no ${step.kind} step`);
}

function member(name: string, value: Json, steps: readonly Step[], position: number): Json {
  if (!isJsonObject(value)) {
    throw new PathNotFoundError(
      `Expected to find an object with property ['${name}'] in path ${render(steps, position)} but found '${typeName(value)}'. This is not a json object according to the JsonProvider: 'com.jayway.jsonpath.spi.json.JacksonJsonNodeJsonProvider'.`,
    );
  }
  const found = getOwn(value, name);
  if (found !== undefined) return found;
  const isLast = position === steps.length - 1;
  const message = isLast ? 'No results for path: ' : 'Missing property in path ';
  throw new PathNotFoundError(message + render(steps, position + 1));
}

function membersOf(
  names: readonly string[],
  value: Json,
  steps: readonly Step[],
  position: number,
): Json {
  if (!isJsonObject(value)) return member(names.join("','"), value, steps, position);
  const picked: JsonObject = {};
  for (const name of names) {
    const found = getOwn(value, name);
    if (found !== undefined) setOwn(picked, name, found);
  }
  return picked;
}

function element(index: number, value: Json, steps: readonly Step[], position: number): Json {
  if (!Array.isArray(value)) {
    throw new PathNotFoundError(
      `Filter: [${index}] can only be applied to arrays. Current context is: ${quoteJson(value)}`,
    );
  }
  const found = value.at(index);
  if (found !== undefined) return found;
  const isLast = position === steps.length - 1;
  throw new PathNotFoundError(`No results for path: ${render(steps, steps.length)}`, isLast);
}

/** The path in the bracket form that Jayway writes: `$['a'][0]`. */
function render(steps: readonly Step[], count: number): string {
  return `$${steps.slice(0, count).map(renderStep).join('')}`;
}

function renderStep(step: Step): string {
  if (step.kind === 'name') return `['${step.name}']`;
  if (step.kind === 'index') return `[${step.index}]`;
  if (step.kind === 'names') return `['${step.names.join("','")}']`;
  if (step.kind === 'function') return `.${step.name}()`;
  return '[*]';
}

function typeName(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'com.fasterxml.jackson.databind.node.ArrayNode';
  if (typeof value === 'string') return 'com.fasterxml.jackson.databind.node.TextNode';
  if (typeof value === 'boolean') return 'com.fasterxml.jackson.databind.node.BooleanNode';
  return 'com.fasterxml.jackson.databind.node.NumericNode';
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
