import { createHash, randomUUID } from 'node:crypto';
import type jsonata from 'jsonata';
import { seededRandom } from '../seeded-random.ts';

/**
 * The functions that Step Functions adds to JSONata, and those it takes away or bounds.
 * https://docs.aws.amazon.com/step-functions/latest/dg/transforming-data.html#jsonata-functions-provided-by-step-functions
 */
export function registerStatesFunctions(expression: jsonata.Expression): void {
  expression.registerFunction('parse', parse, '<s-:x>');
  expression.registerFunction('partition', partition, '<a-n?:a>');
  expression.registerFunction('range', range, '<nnn?:a>');
  expression.registerFunction('hash', hash, '<s-s?:s>');
  expression.registerFunction('random', random, '<n?:n>');
  expression.registerFunction('uuid', () => randomUUID(), '<:s>');
  expression.registerFunction('pad', pad, '<s-ns?:s>');
  // AWS has no $eval; an undefined procedure gives its T1006.
  expression.assign('eval', undefined);
}

/** Every function name there is: as variables they are no workflow variables. */
export const builtInNames: ReadonlySet<string> = new Set(
  `sum count max min average string substring substringBefore substringAfter lowercase uppercase length trim
   pad match contains replace split join formatNumber formatBase formatInteger parseInteger number floor ceil
   round abs sqrt power random boolean not map zip filter single reduce sift keys lookup append exists spread
   merge reverse each error assert type sort shuffle distinct base64encode base64decode encodeUrlComponent
   encodeUrl decodeUrlComponent decodeUrl eval toMillis fromMillis clone now millis parse partition range hash
   uuid`.split(/\s+/),
);

/** The most elements $range gives, as measured on AWS. */
const maxRangeElements = 360_145;
/** The longest text $pad gives; AWS bounds every value at this many bytes. */
export const maxValueBytes = 6_990_256;

const digests = new Map([
  ['MD5', 'md5'],
  ['SHA-1', 'sha1'],
  ['SHA-256', 'sha256'],
  ['SHA-384', 'sha384'],
  ['SHA-512', 'sha512'],
]);

/** Thrown by the functions here, in the shape of JSONata's own errors. */
function problem(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

export const memoryLimitCode = 'MEMORY';

function parse(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text, (_key, value: unknown) => {
      if (value === Infinity || value === -Infinity) throw new RangeError('a number is too large');
      return value;
    });
  } catch (error) {
    throw problem('D3137', `Invalid JSON: ${error instanceof Error ? error.message : ''}`);
  }
}

/** Numbers that are no integers are rounded towards zero; without a size there is one chunk. */
function partition(values: unknown[] | undefined, size: number | undefined): unknown {
  if (values === undefined || values.length === 0) return undefined;
  const chunkSize = Math.trunc(size ?? values.length);
  if (chunkSize === 0) return undefined;
  if (chunkSize < 0) throw problem('D3137', 'Second argument must be zero or greater');
  const chunks: unknown[] = [];
  for (let start = 0; start < values.length; start += chunkSize) {
    chunks.push(values.slice(start, start + chunkSize));
  }
  return chunks;
}

/** `undefined` without a step or with one that leads away from the end; a single element comes bare. */
function range(first?: number, last?: number, step?: number): unknown {
  if (first === undefined || last === undefined || step === undefined) return undefined;
  const [start, end, delta] = [Math.trunc(first), Math.trunc(last), Math.trunc(step)];
  if (delta === 0) return undefined;
  const count = Math.floor((end - start) / delta) + 1;
  if (count < 1) return undefined;
  if (count > maxRangeElements) throw problem(memoryLimitCode, 'Too many elements');
  return count === 1 ? start : Array.from({ length: count }, (_, index) => start + index * delta);
}

function hash(text: string | undefined, algorithm: string | undefined): string | undefined {
  if (text === undefined || algorithm === undefined) return undefined;
  const digest = digests.get(algorithm);
  if (digest === undefined) {
    throw problem('D3137', `The algorithm must be one of ${[...digests.keys()].join(', ')}`);
  }
  return createHash(digest).update(text, 'utf8').digest('hex');
}

function random(seed?: number): number {
  return seed === undefined ? Math.random() : seededRandom(seed);
}

/** JSONata's $pad, refused where the text would get too long. */
function pad(text: string | undefined, width: number, filler?: string): string | undefined {
  if (text === undefined) return undefined;
  if (Math.abs(width) > maxValueBytes) throw problem(memoryLimitCode, 'Too long');
  const { length } = Array.from(text);
  const characters = Array.from(filler === undefined || filler === '' ? ' ' : filler);
  const missing = Math.max(0, Math.trunc(Math.abs(width)) - length);
  const padding = Array.from(
    { length: missing },
    (_, index) => characters[index % characters.length] ?? '',
  ).join('');
  return width < 0 ? padding + text : text + padding;
}
