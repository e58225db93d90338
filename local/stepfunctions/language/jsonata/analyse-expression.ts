import { compileLinear } from '../bounded-regexp.ts';
import { builtInNames } from './states-functions.ts';

/** What can be said about an expression without evaluating it. */
export type Analysis = {
  /** The workflow variables it refers to, without `$`, in the order they appear. */
  readonly variables: readonly string[];
  /** Time or memory cannot be told from the text: it has to be evaluated in another process. */
  readonly isRisky: boolean;
  /** Names read from a context item, which Step Functions does not give: `phone` in `phone.mobile`. */
  readonly topLevelNames: readonly string[];
  /** It refers to `$$`. */
  readonly usesRoot: boolean;
  /** The members of `$states` it refers to: `input`, `result`, …; `*` for `$states` as a whole. */
  readonly statesMembers: readonly string[];
};

type Node = Record<string, unknown>;

type Findings = {
  variables: Set<string>;
  bound: Set<string>;
  topLevelNames: Set<string>;
  statesMembers: Set<string>;
  isRisky: boolean;
  concatenations: number;
  usesRoot: boolean;
};

/**
 * Lambdas recurse, assignments can double a text with each line, and these functions take time that grows
 * with the square of their input, run a regular expression made from a picture, or multiply two texts.
 */
const riskyNodes = new Set(['lambda', 'partial', 'bind', 'transform']);
const riskyFunctions = new Set(['distinct', 'toMillis', 'parseInteger', 'formatNumber', 'join']);
/** Each `&` can add another whole input to a text. */
const maxConcatenations = 16;

/** Takes the syntax tree that jsonata gives (`expression.ast()`). */
export function analyseExpression(ast: unknown): Analysis {
  const findings: Findings = {
    variables: new Set(),
    bound: new Set(['states']),
    topLevelNames: new Set(),
    statesMembers: new Set(),
    isRisky: false,
    concatenations: 0,
    usesRoot: false,
  };
  try {
    visit(ast, true, findings);
  } catch (error) {
    // Nested deeper than this walk can follow: jsonata would not follow either.
    if (!(error instanceof RangeError)) throw error;
    findings.isRisky = true;
  }
  return {
    variables: [...findings.variables].filter(
      (name) => !findings.bound.has(name) && !builtInNames.has(name),
    ),
    isRisky: findings.isRisky || findings.concatenations > maxConcatenations,
    topLevelNames: [...findings.topLevelNames],
    usesRoot: findings.usesRoot,
    statesMembers: [...findings.statesMembers],
  };
}

/** `isTop`: names here are read from the (missing) context item of the whole expression. */
function visit(value: unknown, isTop: boolean, findings: Findings): void {
  if (Array.isArray(value)) {
    for (const each of value) visit(each, isTop, findings);
    return;
  }
  if (!isNode(value)) return;
  note(value, isTop, findings);
  if (isPlainJoin(value)) {
    visit(value['arguments'], isTop, findings);
    return;
  }
  if (value['type'] === 'path' && Array.isArray(value['steps'])) {
    visitPath(value, value['steps'], isTop, findings);
    return;
  }
  for (const [key, child] of Object.entries(value)) {
    if (key === 'value' || key === 'ancestor' || key === 'slot') continue;
    visit(child, isTop && !readsSelection.has(key), findings);
  }
}

/** Parts of a node that are evaluated against what the node selected, and not against its own context. */
const readsSelection = new Set([
  'predicate',
  'stages',
  'group',
  'pattern',
  'update',
  'delete',
  'terms',
]);

/** `$join(list)` or `$join(list, ', ')`: with a short separator it adds little to its list. */
function isPlainJoin(node: Node): boolean {
  const { type, procedure, arguments: list } = node;
  if (type !== 'function' || !isNode(procedure) || procedure['value'] !== 'join') return false;
  if (!Array.isArray(list)) return false;
  const separator: unknown = list[1];
  if (separator === undefined) return true;
  const text = isNode(separator) && separator['type'] === 'string' ? separator['value'] : undefined;
  return typeof text === 'string' && text.length <= 16;
}

function visitPath(node: Node, steps: unknown[], isTop: boolean, findings: Findings): void {
  const [first, second] = steps;
  if (isNode(first) && first['type'] === 'variable' && first['value'] === 'states') {
    findings.statesMembers.add(memberName(second));
  }
  for (const [index, step] of steps.entries()) visitStep(step, isTop && index === 0, findings);
  visit(node['group'], false, findings);
  visit(node['predicate'], false, findings);
}

function visitStep(step: unknown, isTop: boolean, findings: Findings): void {
  if (isNode(step) && step['type'] === 'variable') {
    noteVariable(step['value'], findings);
    visit(step['stages'], false, findings);
    visit(step['predicate'], false, findings);
    return;
  }
  visit(step, isTop, findings);
}

function memberName(step: unknown): string {
  return isNode(step) && step['type'] === 'name' && typeof step['value'] === 'string'
    ? step['value']
    : '*';
}

function note(node: Node, isTop: boolean, findings: Findings): void {
  const { type, value } = node;
  if (typeof type === 'string' && riskyNodes.has(type)) findings.isRisky = true;
  if (type === 'binary' && value === '&') findings.concatenations += 1;
  if (type === 'variable') {
    if (value === 'states') findings.statesMembers.add('*');
    noteVariable(value, findings);
  }
  if (type === 'name' && isTop && typeof value === 'string') findings.topLevelNames.add(value);
  if (type === 'bind') noteBound(node['lhs'], findings);
  if (type === 'lambda') noteBound(node['arguments'], findings);
  if (type === 'regex' && !isLinear(value)) findings.isRisky = true;
  for (const key of ['focus', 'index']) {
    const name = node[key];
    if (typeof name === 'string') findings.bound.add(name);
  }
}

function noteVariable(name: unknown, findings: Findings): void {
  if (typeof name !== 'string' || name === '') return;
  if (name === '$') findings.usesRoot = true;
  else findings.variables.add(name);
  if (riskyFunctions.has(name)) findings.isRisky = true;
}

function noteBound(value: unknown, findings: Findings): void {
  for (const each of Array.isArray(value) ? value : [value]) {
    if (isNode(each) && typeof each['value'] === 'string') findings.bound.add(each['value']);
  }
}

function isLinear(value: unknown): boolean {
  if (!(value instanceof RegExp)) return false;
  try {
    compileLinear(value.source, value.flags);
    return true;
  } catch {
    // RE2 cannot do it: the other process runs it with JavaScript's engine, under a deadline.
    return false;
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !(value instanceof RegExp);
}
