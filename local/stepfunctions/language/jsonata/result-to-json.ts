import { setOwn, type Json, type JsonObject } from '../json.ts';
import { unsupportedType, type Outcome } from './expression-outcome.ts';
import { maxValueBytes } from './states-functions.ts';

/** A result larger than AWS's bound on a value. */
export class ValueTooLargeError extends Error {
  override readonly name = 'ValueTooLargeError';
}

class UnsupportedValueError extends Error {
  override readonly name = 'UnsupportedValueError';
}

/**
 * Copies a result of JSONata into plain JSON: without the marks that jsonata leaves on its sequences, with
 * non-finite numbers as texts (as AWS writes them), without undefined members. Functions are unsupported.
 * Throws ValueTooLargeError, and RangeError for what nests too deep.
 */
export function toJson(result: unknown): Outcome {
  const budget = { bytes: maxValueBytes };
  try {
    return { value: copy(result, budget) };
  } catch (error) {
    if (error instanceof UnsupportedValueError) return unsupportedType;
    throw error;
  }
}

export function isOwnFunction(value: unknown): boolean {
  if (typeof value === 'function') return true;
  if (typeof value !== 'object' || value === null) return false;
  return '_jsonata_lambda' in value || '_jsonata_function' in value;
}

function copy(value: unknown, budget: { bytes: number }): Json {
  budget.bytes -= typeof value === 'string' ? value.length : 8;
  if (budget.bytes < 0) throw new ValueTooLargeError('The value is too large');
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return copyNumber(value);
  if (isOwnFunction(value) || typeof value !== 'object') throw new UnsupportedValueError();
  if (Array.isArray(value)) return value.map((each: unknown) => copy(each ?? null, budget));
  return copyObject(value, budget);
}

/** -0 is 0 in JSON. */
function copyNumber(value: number): Json {
  return Number.isFinite(value) ? value + 0 : String(value);
}

function copyObject(value: object, budget: { bytes: number }): JsonObject {
  const target: JsonObject = {};
  for (const [key, each] of Object.entries(value)) {
    if (each === undefined) continue;
    budget.bytes -= key.length;
    setOwn(target, key, copy(each, budget));
  }
  return target;
}
