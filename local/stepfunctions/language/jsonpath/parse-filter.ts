import { compilePattern } from '../bounded-regexp.ts';
import type { Json } from '../json.ts';
import {
  filterOperators,
  isDefinite,
  type Filter,
  type JsonPath,
  type Operand,
  type Step,
} from './jsonpath.ts';
import { PathSyntaxError, type PathReader } from './path-reader.ts';

/** How a filter reads the paths in it; given by the path parser, whose paths hold filters in turn. */
export type PathReaders = {
  readonly readJsonPath: (reader: PathReader) => JsonPath;
  readonly readSteps: (reader: PathReader) => Step[];
};

/** Reads the test behind `[?`; the parentheses around it may be missing. */
export function parseFilter(reader: PathReader, paths: PathReaders): Filter {
  reader.skipSpace();
  return reader.nested(() => parseOr(reader, paths));
}

function parseOr(reader: PathReader, paths: PathReaders): Filter {
  return parseChain(reader, '||', 'or', () => parseAnd(reader, paths));
}

function parseAnd(reader: PathReader, paths: PathReaders): Filter {
  return parseChain(reader, '&&', 'and', () => parseUnary(reader, paths));
}

function parseChain(
  reader: PathReader,
  token: string,
  kind: 'and' | 'or',
  parseNext: () => Filter,
): Filter {
  const first = parseNext();
  const filters = [first];
  for (reader.skipSpace(); reader.take(token); reader.skipSpace()) filters.push(parseNext());
  return filters.length === 1 ? first : { kind, filters };
}

function parseUnary(reader: PathReader, paths: PathReaders): Filter {
  reader.skipSpace();
  if (reader.peek() === '!' && !reader.text.startsWith('!=', reader.position)) {
    reader.expect('!');
    return { kind: 'not', filter: reader.nested(() => parseUnary(reader, paths)) };
  }
  if (reader.take('(')) {
    const filter = reader.nested(() => parseOr(reader, paths));
    reader.skipSpace();
    reader.expect(')');
    return filter;
  }
  return parseComparison(reader, paths);
}

function parseComparison(reader: PathReader, paths: PathReaders): Filter {
  const left = parseOperand(reader, paths);
  reader.skipSpace();
  const operator = filterOperators.find((each) => takesOperator(reader, each));
  if (operator === undefined) {
    if (left.kind === 'current' || left.kind === 'path') return { kind: 'exists', operand: left };
    throw reader.unexpected('a filter needs a path or a comparison');
  }
  reader.skipSpace();
  return { kind: 'compare', operator, left, right: parseOperand(reader, paths) };
}

function takesOperator(reader: PathReader, operator: string): boolean {
  const isWord = /^\w/.test(operator);
  if (isWord && /\w/.test(reader.text.charAt(reader.position + operator.length))) return false;
  return reader.take(operator);
}

function parseOperand(reader: PathReader, paths: PathReaders): Operand {
  reader.skipSpace();
  const next = reader.peek();
  if (next === '@') {
    reader.expect('@');
    const steps = reader.nested(() => paths.readSteps(reader));
    return { kind: 'current', steps, isDefinite: isDefinite(steps) };
  }
  if (next === '$') return { kind: 'path', path: reader.nested(() => paths.readJsonPath(reader)) };
  if (next === '/') return parsePattern(reader);
  return { kind: 'literal', value: parseLiteral(reader) };
}

function parseLiteral(reader: PathReader): Json {
  const next = reader.peek();
  if (next === "'" || next === '"') return reader.readQuoted();
  if (reader.take('[')) return reader.nested(() => parseList(reader));
  const number = reader.takeMatch(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y);
  if (number !== undefined) return Number(number);
  const word = reader.takeMatch(/true|false|null/y);
  if (word === 'true') return true;
  if (word === 'false') return false;
  if (word === 'null') return null;
  throw reader.unexpected('expected a value');
}

function parseList(reader: PathReader): Json[] {
  const list: Json[] = [];
  reader.skipSpace();
  if (reader.take(']')) return list;
  do {
    reader.skipSpace();
    list.push(parseLiteral(reader));
  } while (reader.takeComma());
  reader.skipSpace();
  reader.expect(']');
  return list;
}

function parsePattern(reader: PathReader): Operand {
  const found = reader.takeMatch(/\/(?:[^/\\]|\\.)*\/[a-z]*/y);
  if (found === undefined) throw reader.unexpected('the pattern has no end');
  const end = found.lastIndexOf('/');
  const pattern = compilePattern(found.slice(1, end), found.slice(end + 1));
  if ('problem' in pattern) throw new PathSyntaxError(pattern.problem, reader.position);
  return { kind: 'pattern', matches: pattern.matches };
}
