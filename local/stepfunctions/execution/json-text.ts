import type { Json } from '../language/json.ts';

/** The most bytes of UTF-8 a state's, task's or execution's input or output may have. */
export const MAX_PAYLOAD_BYTES = 262_144;

/** Values are never changed once they are in an execution, so their text is made once. */
const texts = new WeakMap<object, string>();

export function toText(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  let text = texts.get(value);
  if (text === undefined) {
    text = JSON.stringify(value);
    texts.set(value, text);
  }
  return text;
}

export function parseText(text: string): Json {
  const value = JSON.parse(text) as Json;
  if (typeof value === 'object' && value !== null) texts.set(value, text);
  return value;
}

export function isTooLarge(text: string): boolean {
  // A UTF-16 unit is 1 to 3 bytes of UTF-8: most texts need no counting.
  if (text.length > MAX_PAYLOAD_BYTES) return true;
  return text.length * 3 > MAX_PAYLOAD_BYTES && Buffer.byteLength(text) > MAX_PAYLOAD_BYTES;
}

/** As deep as the parser behind AWS goes; deeper data would overflow the stack of what walks it. */
export const MAX_JSON_DEPTH = 1000;

/** Whether a JSON text is nested deeper than that. */
export function isTooDeep(text: string): boolean {
  if (text.length < 2 * MAX_JSON_DEPTH) return false;
  let depth = 0;
  let isInText = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (isInText) {
      if (code === BACKSLASH) index++;
      else if (code === QUOTE) isInText = false;
    } else if (code === QUOTE) isInText = true;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (++depth > MAX_JSON_DEPTH) return true;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--;
  }
  return false;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
