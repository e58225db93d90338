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
