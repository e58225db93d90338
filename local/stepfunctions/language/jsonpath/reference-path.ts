import { isJsonObject, setOwn, type Json } from '../json.ts';
import type { JsonPath } from './jsonpath.ts';
import { parseJsonPath } from './parse-jsonpath.ts';
import { PathSyntaxError } from './path-reader.ts';

/** A path of names and indexes only, which can be written to (ResultPath). */
export type ReferencePath = {
  readonly text: string;
  readonly steps: readonly (string | number)[];
};

/** Throws PathSyntaxError for what is no reference path: wildcards, filters, functions, other roots. */
export function parseReferencePath(text: string): ReferencePath {
  const path = parseJsonPath(text);
  if (path.root.kind !== 'input') {
    throw new PathSyntaxError("a Reference Path starts at the input: '$'", 0);
  }
  return { text, steps: referenceSteps(path) };
}

export function isReferencePath(path: JsonPath): boolean {
  return path.steps.every((step) => step.kind === 'name' || isPlainIndex(step));
}

function isPlainIndex(step: JsonPath['steps'][number]): boolean {
  return step.kind === 'index' && step.index >= 0;
}

function referenceSteps(path: JsonPath): (string | number)[] {
  return path.steps.map((step) => {
    if (step.kind === 'name') return step.name;
    if (step.kind === 'index' && step.index >= 0) return step.index;
    throw new PathSyntaxError(`'${path.text}' is not a Reference Path`, 0);
  });
}

/**
 * The input with `value` put at `path`; objects are made where they are missing. Nothing is changed in place.
 * Gives `undefined` where the path cannot be applied: a member of what is no object, an index out of bounds.
 */
export function putAt(path: ReferencePath, input: Json, value: Json): Json | undefined {
  return put(path.steps, 0, input, value);
}

function put(
  steps: readonly (string | number)[],
  position: number,
  target: Json | undefined,
  value: Json,
): Json | undefined {
  const step = steps[position];
  if (step === undefined) return value;
  if (typeof step === 'number') {
    if (!Array.isArray(target) || step >= target.length) return undefined;
    const below = put(steps, position + 1, target[step], value);
    return below === undefined ? undefined : target.with(step, below);
  }
  if (target !== undefined && !isJsonObject(target)) return undefined;
  const existing = target && Object.hasOwn(target, step) ? target[step] : undefined;
  const below = put(steps, position + 1, existing, value);
  if (below === undefined) return undefined;
  const copy = { ...target };
  setOwn(copy, step, below);
  return copy;
}
