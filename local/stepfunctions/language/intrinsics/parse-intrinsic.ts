import type { JsonPath } from '../jsonpath/jsonpath.ts';
import { readJsonPath } from '../jsonpath/parse-jsonpath.ts';
import { PathReader, PathSyntaxError } from '../jsonpath/path-reader.ts';
import { intrinsicArity, isIntrinsicName, type IntrinsicName } from './intrinsic-names.ts';

/** A call as written, `States.Format('{}', $.a)`; arguments may be calls again. */
export type IntrinsicCall = {
  readonly text: string;
  readonly name: IntrinsicName;
  readonly arguments: readonly IntrinsicArgument[];
};

export type IntrinsicArgument =
  | {
      readonly kind: 'literal';
      readonly value: string | number | boolean | null;
      readonly raw?: string;
    }
  | { readonly kind: 'path'; readonly path: JsonPath }
  | { readonly kind: 'call'; readonly call: IntrinsicCall };

/** "You can nest up to 10 intrinsic functions": https://docs.aws.amazon.com/step-functions/latest/dg/intrinsic-functions.html */
const maxNesting = 10;

export function isIntrinsicCall(text: string): boolean {
  return text.startsWith('States.');
}

/** Throws PathSyntaxError for what is no call of one of the 18 functions with the right number of arguments. */
export function parseIntrinsic(text: string): IntrinsicCall {
  const reader = new PathReader(text);
  const call = readCall(reader, 1);
  reader.skipSpace();
  if (!reader.isAtEnd()) throw reader.unexpected();
  return call;
}

function readCall(reader: PathReader, nesting: number): IntrinsicCall {
  const start = reader.position;
  const name = reader.takeMatch(/States\.[A-Za-z0-9]+/y)?.slice('States.'.length);
  if (name === undefined) throw reader.unexpected('expected an intrinsic function');
  if (!isIntrinsicName(name)) {
    throw new PathSyntaxError(`'States.${name}' is not an intrinsic function`, start);
  }
  if (nesting > maxNesting) {
    throw new PathSyntaxError(`intrinsic functions nest at most ${maxNesting} deep`, start);
  }
  reader.expect('(');
  const list = readArguments(reader, nesting);
  const text = reader.text.slice(start, reader.position);
  checkArity(name, list.length, start);
  return { text, name, arguments: list };
}

function readArguments(reader: PathReader, nesting: number): IntrinsicArgument[] {
  const list: IntrinsicArgument[] = [];
  reader.skipSpace();
  if (reader.take(')')) return list;
  do {
    reader.skipSpace();
    list.push(readArgument(reader, nesting));
  } while (reader.takeComma());
  reader.skipSpace();
  reader.expect(')');
  return list;
}

function checkArity(name: IntrinsicName, count: number, position: number): void {
  const [least, most] = intrinsicArity[name];
  if (count < least || count > most) {
    throw new PathSyntaxError(`States.${name} cannot take ${count} arguments`, position);
  }
}

function readArgument(reader: PathReader, nesting: number): IntrinsicArgument {
  const next = reader.peek();
  if (next === "'") return readText(reader);
  if (next === '$') return { kind: 'path', path: readJsonPath(reader) };
  if (next === 'S') return { kind: 'call', call: readCall(reader, nesting + 1) };
  const number = reader.takeMatch(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y);
  if (number !== undefined) return { kind: 'literal', value: Number(number) };
  const word = reader.takeMatch(/(?:true|false|null)\b/y);
  if (word === undefined) throw reader.unexpected('expected an argument');
  return { kind: 'literal', value: word === 'null' ? null : word === 'true' };
}

/**
 * A quoted text. `\\'`, `\\\\`, `\\{` and `\\}` stand for their second character, any other backslash is
 * refused, as on AWS. `raw` keeps the backslashes: States.Format tells `\\{` from `{` by them.
 */
function readText(reader: PathReader): IntrinsicArgument {
  reader.expect("'");
  const start = reader.position;
  let value = '';
  for (;;) {
    const character = reader.peek();
    if (character === undefined) throw reader.unexpected('the text has no end');
    reader.expect(character);
    if (character === "'") {
      const raw = reader.text.slice(start, reader.position - 1);
      return { kind: 'literal', value, raw };
    }
    value += character === '\\' ? readEscaped(reader) : character;
  }
}

function readEscaped(reader: PathReader): string {
  const escaped = reader.takeMatch(/['{}\\]/y);
  if (escaped === undefined) throw reader.unexpected('a backslash must be escaped');
  return escaped;
}
