/** What is wrong with a JSON document, and where: `pointer` is a JSON Pointer (RFC 6901), '' the whole. */
export type JsonProblem = { readonly pointer: string; readonly message: string };

export type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: readonly JsonProblem[] };

/** Deeper documents are refused: recursive readers further down the way (Postgres among them) must not meet them. */
export const maxJsonDepth = 64;
const maxProblems = 100;

/**
 * Parses a JSON document only if every reader on its way gives back what was written: Postgres stores no NUL
 * (https://www.postgresql.org/docs/current/datatype-json.html), a lone surrogate is no UTF-8, an integer that a
 * double cannot hold would be rounded (RFC 7493, section 2.2). Fractions are doubles, as everywhere in JSON.
 *
 * Throws SyntaxError where the text is not JSON at all.
 */
export function parseExactJson(text: string): ParsedJson {
  let value: unknown = JSON.parse(text);
  const problems: JsonProblem[] = [];
  const report = (pointer: string, message: string): void => {
    if (problems.length < maxProblems) problems.push({ pointer, message });
  };
  inspect(value, '', 0, report);
  // A reviver is several times slower, and recursive: only where it will find something, in a tree whose depth is
  // known to be harmless.
  if (problems.length === 0 && holdsInexactNumber(text)) {
    value = parseMarkingInexact(text);
    inspect(value, '', 0, report);
  }
  return problems.length === 0 ? { ok: true, value } : { ok: false, problems };
}

/** RFC 6901: `~` and `/` in a key are written `~0` and `~1`. */
export const pointerTo = (parent: string, key: string | number): string =>
  `${parent}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;

type Report = (pointer: string, message: string) => void;

function inspect(value: unknown, pointer: string, depth: number, report: Report): void {
  if (typeof value === 'string') inspectText(value, pointer, report);
  if (typeof value !== 'object' || value === null) return;
  if (value instanceof InexactNumber) {
    report(pointer, `${value.source} ${whyInexact}`);
  } else if (depth === maxJsonDepth) {
    report(pointer, `is nested deeper than ${maxJsonDepth} levels`);
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      inspect(item, pointerTo(pointer, index), depth + 1, report);
    }
  } else {
    for (const [key, item] of Object.entries(value)) {
      const at = pointerTo(pointer, key);
      inspectText(key, at, report);
      if (key === '__proto__') report(at, 'is not taken as the name of a property');
      inspect(item, at, depth + 1, report);
    }
  }
}

function inspectText(text: string, pointer: string, report: Report): void {
  if (text.includes('\u0000'))
    report(pointer, 'holds the character U+0000, which cannot be stored');
  if (!text.isWellFormed())
    report(pointer, 'holds half of a surrogate pair, which is not Unicode text');
}

const longNumber = /\d{16}|\d[eE]/;
const stringOrNumber = /"(?:[^"\\]+|\\.)*"|-?\d[\d.eE+-]*/g;

/** `text` is valid JSON: a number is what looks like one outside of strings. */
function holdsInexactNumber(text: string): boolean {
  if (!longNumber.test(text)) return false;
  for (const [token] of text.matchAll(stringOrNumber)) {
    if (!token.startsWith('"') && longNumber.test(token) && !isExact(token, Number(token)))
      return true;
  }
  return false;
}

const whyInexact = 'cannot be held exactly as a number; write it as a string';

/** Stands in the parsed tree where a number would have been rounded. */
class InexactNumber {
  readonly source: string;
  constructor(source: string) {
    this.source = source.length > 40 ? `${source.slice(0, 40)}…` : source;
  }
}

/** The text of a number, as the reviver is told it (https://github.com/tc39/proposal-json-parse-with-source). */
type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

function parseMarkingInexact(text: string): unknown {
  const mark: Reviver = (_, value, { source }) =>
    typeof value === 'number' && source !== undefined && !isExact(source, value)
      ? new InexactNumber(source)
      : value;
  return JSON.parse(text, mark as (key: string, value: unknown) => unknown);
}

function isExact(source: string, value: number): boolean {
  if (!Number.isFinite(value)) return false;
  const written = toDecimal(source);
  const isFraction = written.exponent < 0;
  if (isFraction) return value !== 0; // a fraction too small for a double would become nothing
  const held = toDecimal(String(value));
  return written.digits === held.digits && written.exponent === held.exponent;
}

const numberParts = /^-?(?<whole>\d+)(?:\.(?<fraction>\d+))?(?:[eE](?<power>[+-]?\d+))?$/;

/** `digits` × 10^`exponent` without leading or trailing zeros; zero is '' × 10^0. The sign does not matter here. */
function toDecimal(source: string): { digits: string; exponent: number } {
  const { whole = '', fraction = '', power = '0' } = numberParts.exec(source)?.groups ?? {};
  const all = (whole + fraction).replace(/^0+/, '');
  const digits = all.replace(/0+$/, '');
  if (digits === '') return { digits, exponent: 0 };
  return { digits, exponent: Number(power) - fraction.length + all.length - digits.length };
}
