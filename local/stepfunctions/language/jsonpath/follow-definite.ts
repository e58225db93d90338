import { getOwn, isJsonObject, quoteJson, setOwn, type Json, type JsonObject } from '../json.ts';
import { evaluatePathFunction } from './evaluate-path-function.ts';
import type { Step } from './jsonpath.ts';

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

/** Follows the steps of a definite path. Throws PathNotFoundError where one leads nowhere. */
export function followDefinite(steps: readonly Step[], root: Json): Json {
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
