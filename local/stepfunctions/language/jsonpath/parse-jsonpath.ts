import { isDefinite, pathFunctions, type JsonPath, type PathRoot, type Step } from './jsonpath.ts';
import { parseFilter } from './parse-filter.ts';
import { PathReader, PathSyntaxError } from './path-reader.ts';

/** Parses a whole path. Throws PathSyntaxError. */
export function parseJsonPath(text: string): JsonPath {
  const reader = new PathReader(text);
  const path = readJsonPath(reader);
  if (!reader.isAtEnd()) throw reader.unexpected();
  return path;
}

/** Reads one path and leaves the reader behind it (intrinsic arguments, filters). */
export function readJsonPath(reader: PathReader): JsonPath {
  const start = reader.position;
  reader.expect('$');
  const root = readRoot(reader);
  const steps = readSteps(reader);
  return {
    text: reader.text.slice(start, reader.position),
    root,
    steps,
    isDefinite: isDefinite(steps),
  };
}

/** The steps behind a root or an `@`. */
export function readSteps(reader: PathReader): Step[] {
  const steps: Step[] = [];
  for (;;) {
    if (reader.take('..')) steps.push({ kind: 'descendants', step: readDescendantStep(reader) });
    else if (reader.take('.')) steps.push(readDotStep(reader));
    else if (reader.take('[')) steps.push(readBracketStep(reader));
    else return steps;
  }
}

function readRoot(reader: PathReader): PathRoot {
  if (reader.take('$')) return { kind: 'context' };
  const name = reader.takeMatch(/[\p{ID_Start}_][\p{ID_Continue}]*/uy);
  return name === undefined ? { kind: 'input' } : { kind: 'variable', name };
}

function readDescendantStep(reader: PathReader): Step {
  if (reader.take('[')) return readBracketStep(reader);
  return readDotStep(reader);
}

function readDotStep(reader: PathReader): Step {
  if (reader.take('*')) return { kind: 'wildcard' };
  if (reader.peek() === '[') {
    reader.expect('[');
    return readBracketStep(reader);
  }
  const name = reader.takeMatch(/[^\s.[\](),*?!<>=&|'"@$]+/uy);
  if (name === undefined) throw reader.unexpected();
  return reader.take('(') ? readFunction(reader, name) : { kind: 'name', name };
}

function readFunction(reader: PathReader, name: string): Step {
  const known = pathFunctions.find((each) => each === name);
  if (!known) throw new PathSyntaxError(`'${name}' is not a JSONPath function`, reader.position);
  reader.skipSpace();
  const digits = reader.takeMatch(/-?\d+/y);
  reader.skipSpace();
  reader.expect(')');
  return digits === undefined
    ? { kind: 'function', name: known }
    : { kind: 'function', name: known, argument: Number(digits) };
}

function readBracketStep(reader: PathReader): Step {
  reader.skipSpace();
  const step = readBracketContent(reader);
  reader.skipSpace();
  reader.expect(']');
  return step;
}

function readBracketContent(reader: PathReader): Step {
  if (reader.take('*')) return { kind: 'wildcard' };
  if (reader.take('?'))
    return { kind: 'filter', filter: parseFilter(reader, { readJsonPath, readSteps }) };
  const next = reader.peek();
  return next === "'" || next === '"' ? readNames(reader) : readIndexes(reader);
}

function readNames(reader: PathReader): Step {
  const names = [reader.readQuoted()];
  while (reader.takeComma()) names.push(reader.readQuoted());
  const [only] = names;
  return names.length === 1 && only !== undefined
    ? { kind: 'name', name: only }
    : { kind: 'names', names };
}

function readIndexes(reader: PathReader): Step {
  const first = readInteger(reader);
  if (reader.peekPastSpace() === ':') return readSlice(reader, first);
  if (first === undefined) throw reader.unexpected();
  const indexes = [first];
  while (reader.takeComma()) {
    const index = readInteger(reader);
    if (index === undefined) throw reader.unexpected();
    indexes.push(index);
  }
  return indexes.length === 1 ? { kind: 'index', index: first } : { kind: 'indexes', indexes };
}

function readSlice(reader: PathReader, start: number | undefined): Step {
  reader.skipSpace();
  reader.expect(':');
  const end = readInteger(reader);
  let step: number | undefined;
  reader.skipSpace();
  if (reader.take(':')) step = readInteger(reader);
  if (step !== undefined && step < 1) {
    throw new PathSyntaxError('the step of a slice must be positive', reader.position);
  }
  return {
    kind: 'slice',
    ...(start === undefined ? {} : { start }),
    ...(end === undefined ? {} : { end }),
    step: step ?? 1,
  };
}

function readInteger(reader: PathReader): number | undefined {
  reader.skipSpace();
  const digits = reader.takeMatch(/-?\d{1,15}/y);
  return digits === undefined ? undefined : Number(digits);
}
