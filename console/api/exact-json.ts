/**
 * JSON as the API sent it: a number that a JavaScript number cannot hold as it is written becomes a bigint, or an
 * `ExactNumber` with its digits, so that what is shown is what was sent.
 */
export type Json =
  | null
  | boolean
  | number
  | string
  | bigint
  | ExactNumber
  | readonly Json[]
  | { readonly [name: string]: Json };

/** A number with more digits than a JavaScript number has, as it was written. */
export class ExactNumber {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

/** Since ES2026 a reviver is given the text of what it revives. */
type Reviver = (
  this: unknown,
  key: string,
  value: unknown,
  context: { source?: string },
) => unknown;
const parse = JSON.parse as (text: string, reviver: Reviver) => Json;

/** Throws a SyntaxError where the text is not JSON. */
export const parseExact = (text: string): Json =>
  parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined ? exactNumber(value, source) : value,
  );

/** undefined where the text is not JSON. */
export function tryParseExact(text: string): Json | undefined {
  try {
    return parseExact(text);
  } catch {
    return undefined; // shown as the text it is
  }
}

function exactNumber(value: number, source: string): number | bigint | ExactNumber {
  if (/^-?\d+$/.test(source)) return Number.isSafeInteger(value) ? value : BigInt(source);
  return sameDigits(String(value), source) ? value : new ExactNumber(source);
}

/** Whether two spellings are the same number: compared by their significant digits and exponent. */
function sameDigits(left: string, right: string): boolean {
  const [a, b] = [normalForm(left), normalForm(right)];
  return a !== undefined && a === b;
}

function normalForm(text: string): string | undefined {
  const found = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (found === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = found;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  const power = Number(exponent) - fraction.length + (digits.length - significant.length);
  return `${sign}${significant}e${power}`;
}

/** The JSON text of a value, indented; numbers as they were written. */
export function formatExact(value: Json, indent = 2): string {
  return write(value, indent, '');
}

function write(value: Json, indent: number, margin: string): string {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof ExactNumber) return value.source;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = margin + ' '.repeat(indent);
  const [open, close, parts] = Array.isArray(value)
    ? ['[', ']', (value as readonly Json[]).map((item) => write(item, indent, inner))]
    : [
        '{',
        '}',
        Object.entries(value as Record<string, Json>).map(
          ([name, item]) => `${JSON.stringify(name)}: ${write(item, indent, inner)}`,
        ),
      ];
  if (parts.length === 0) return open + close;
  if (indent === 0) return open + parts.join(', ') + close;
  return `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${margin}${close}`;
}
