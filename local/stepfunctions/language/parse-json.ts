import { maxNesting, nestsTooDeep, type Json } from './json.ts';

/**
 * `JSON.parse`, refusing what nests deeper than AWS's parser goes and what could not be written again.
 * Throws a SyntaxError.
 */
export function parseJson(text: string): Json {
  const value: Json = JSON.parse(text);
  if (text.length > maxNesting && nestsTooDeep(value)) {
    throw new SyntaxError(`Document nesting depth exceeds the maximum allowed (${maxNesting})`);
  }
  return value;
}
