import { createHash, randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, isLongerThan, nestsTooDeep, type Json, type JsonObject } from '../json.ts';
import { parseJson } from '../parse-json.ts';
import { seededRandom } from '../seeded-random.ts';
import { IntrinsicError } from './intrinsic-error.ts';
import type { IntrinsicName } from './intrinsic-names.ts';

type Values = readonly (Json | undefined)[];
type IntrinsicFunction = (values: Values) => Json;

/** Limits of https://docs.aws.amazon.com/step-functions/latest/dg/intrinsic-functions.html */
const maxRangeElements = 1_000;
const maxEncodedCharacters = 10_000;
const digests = new Map([
  ['MD5', 'md5'],
  ['SHA-1', 'sha1'],
  ['SHA-256', 'sha256'],
  ['SHA-384', 'sha384'],
  ['SHA-512', 'sha512'],
]);

/** All but States.Format, which needs its template as written. Each throws IntrinsicError. */
export const intrinsicFunctions: Record<Exclude<IntrinsicName, 'Format'>, IntrinsicFunction> = {
  StringToJson: ([value]) => fromText(text(value, 'States.StringToJson')),
  JsonToString: ([value]) => toText(value ?? null),
  Array: (values) => bounded(values.map((each) => each ?? null)),
  ArrayPartition: ([value, size]) => partition(list(value), integer(size, 'chunk size')),
  ArrayContains: ([value, wanted]) => list(value).some((each) => isDeepStrictEqual(each, wanted)),
  ArrayRange: ([first, last, step]) =>
    range(integer(first, 'start'), integer(last, 'end'), integer(step, 'increment')),
  ArrayGetItem: ([value, index]) => getItem(list(value), index),
  ArrayLength: ([value]) => list(value).length,
  ArrayUnique: ([value]) => unique(list(value)),
  Base64Encode: ([value]) => Buffer.from(limited(value), 'utf8').toString('base64'),
  Base64Decode: ([value]) => decodeBase64(limited(value)),
  Hash: ([value, algorithm]) => hash(value, algorithm),
  JsonMerge: ([left, right, isDeep]) => merge(left, right, isDeep),
  MathRandom: ([least, end, seed]) => random(integer(least, 'start'), integer(end, 'end'), seed),
  MathAdd: ([left, right]) => add(integer(left, 'first number'), integer(right, 'second number')),
  StringSplit: ([value, separators]) =>
    split(text(value, 'States.StringSplit'), text(separators, 'States.StringSplit')),
  UUID: () => randomUUID(),
};

/** A call may name the same long value many times. */
const maxValueBytes = 16 * 1024 * 1024;

function bounded(value: Json): Json {
  if (isLongerThan(value, maxValueBytes)) throw new IntrinsicError('The result is too large');
  return value;
}

function text(value: Json | undefined, name: string): string {
  if (typeof value !== 'string') throw new IntrinsicError(`${name} takes a string`);
  return value;
}

function list(value: Json | undefined): Json[] {
  if (!Array.isArray(value)) throw new IntrinsicError('The first argument must be an array');
  return value;
}

/** "If you specify a non-integer value …, Step Functions will round it off to the nearest integer." */
function integer(value: Json | undefined, what: string): number {
  if (typeof value !== 'number') throw new IntrinsicError(`The ${what} must be a number`);
  // + 0: Math.round(-0.5) is -0, which is no integer of Java's.
  return Math.round(value) + 0;
}

function fromText(json: string): Json {
  if (json.trim() === '') return null;
  try {
    return parseJson(json);
  } catch (error) {
    throw new IntrinsicError(`Invalid JSON: ${error instanceof Error ? error.message : ''}`);
  }
}

function toText(value: Json): string {
  if (nestsTooDeep(value)) throw new IntrinsicError('The value nests too deep');
  return JSON.stringify(value);
}

function partition(values: Json[], size: number): Json[] {
  if (size < 1) throw new IntrinsicError('The chunk size must be a positive integer');
  const chunks: Json[] = [];
  for (let start = 0; start < values.length; start += size) {
    chunks.push(values.slice(start, start + size));
  }
  return chunks;
}

function range(first: number, last: number, step: number): Json[] {
  if (step === 0) throw new IntrinsicError('The increment cannot be zero');
  const count = Math.max(0, Math.floor((last - first) / step) + 1);
  if (count > maxRangeElements) {
    throw new IntrinsicError(`The range can have at most ${maxRangeElements} elements`);
  }
  return Array.from({ length: count }, (_, index) => first + index * step);
}

function getItem(values: Json[], index: Json | undefined): Json {
  if (typeof index !== 'number' || !Number.isInteger(index)) {
    throw new IntrinsicError('The index must be an integer');
  }
  const found = index < 0 ? undefined : values[index];
  if (found === undefined) {
    throw new IntrinsicError(
      `The index ${index} is out of bounds for an array of ${values.length}`,
    );
  }
  return found;
}

/** Compares by canonical text, so that a long list takes linear time. */
function unique(values: Json[]): Json[] {
  if (nestsTooDeep(values)) throw new IntrinsicError('The array nests too deep');
  const seen = new Set<string>();
  return values.filter((value) => {
    const key = canonicalText(value);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function canonicalText(value: Json): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    isJsonObject(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}

function limited(value: Json | undefined): string {
  const characters = text(value, 'The function');
  if (Array.from(characters).length > maxEncodedCharacters) {
    throw new IntrinsicError(`The text can have at most ${maxEncodedCharacters} characters`);
  }
  return characters;
}

function decodeBase64(encoded: string): string {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(encoded) || encoded.length % 4 === 1) {
    throw new IntrinsicError('The text is not valid Base64');
  }
  return Buffer.from(encoded, 'base64').toString('utf8');
}

function hash(value: Json | undefined, algorithm: Json | undefined): string {
  const digest = typeof algorithm === 'string' ? digests.get(algorithm) : undefined;
  if (digest === undefined) {
    throw new IntrinsicError(`The algorithm must be one of ${[...digests.keys()].join(', ')}`);
  }
  const data = typeof value === 'string' ? value : toText(value ?? null);
  return createHash(digest).update(limited(data), 'utf8').digest('hex');
}

/** Only the shallow merge exists: "you must specify false". */
function merge(left: Json | undefined, right: Json | undefined, isDeep: Json | undefined): Json {
  if (!isJsonObject(left) || !isJsonObject(right)) {
    throw new IntrinsicError('The first two arguments must be JSON objects');
  }
  if (isDeep !== false) throw new IntrinsicError('The third argument must be false');
  const merged: JsonObject = { ...left, ...right };
  return merged;
}

/** From `least` (included) to `end` (excluded); the same seed gives the same number. */
function random(least: number, end: number, seed: Json | undefined): number {
  if (least >= end) throw new IntrinsicError('The start number must be less than the end number');
  const next = seed === undefined ? Math.random() : seededRandom(integer(seed, 'seed'));
  return least + Math.floor(next * (end - least));
}

/** The numbers are Java's 32-bit integers. */
function add(left: number, right: number): number {
  for (const each of [left, right, left + right]) {
    if (each < -(2 ** 31) || each > 2 ** 31 - 1) {
      throw new IntrinsicError('Numbers must be between -2147483648 and 2147483647');
    }
  }
  return left + right;
}

/** Every character of `separators` separates; empty parts are left out. */
function split(value: string, separators: string): Json[] {
  const parts: string[] = [];
  let part = '';
  for (const character of value) {
    if (!separators.includes(character)) {
      part += character;
      continue;
    }
    if (part !== '') parts.push(part);
    part = '';
  }
  return part === '' ? parts : [...parts, part];
}
