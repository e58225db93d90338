import { storableText } from '../../jobs/failure.ts';
import { damaged, limits, tooComplex } from './document-facts.ts';

const namedKeys = 50;

/** `{type, keys | items, depth}` of a JSON document: the root's type, its first 50 keys or how many items it has. */
export function extractJson(text: string): Record<string, unknown> {
  const source = text.startsWith('\u{FEFF}') ? text.slice(1) : text;
  const depth = depthOf(source);
  const root = parse(source);
  if (Array.isArray(root)) return { type: 'array', items: root.length, depth };
  if (typeof root === 'object' && root !== null) {
    const keys = Object.keys(root);
    const named = keys.slice(0, namedKeys).map((key) => storableText(key, 64));
    return { type: 'object', keys: named, keyCount: keys.length, depth };
  }
  return { type: root === null ? 'null' : typeof root, depth };
}

function parse(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch (cause) {
    // V8 quotes the text around the fault; a document's content has no place in an error.
    const at = /at position \d+( \(line \d+ column \d+\))?/.exec(String(cause))?.[0];
    throw damaged(`it is not JSON${at === undefined ? '' : `: the fault is ${at}`}`);
  }
}

/** The deepest nesting, counted before anything recursive meets it. */
function depthOf(source: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < source.length; at += 1) {
    switch (source[at]) {
      case '"':
        at = endOfString(source, at);
        break;
      case '[':
      case '{':
        depth += 1;
        if (depth > limits.jsonDepth)
          throw tooComplex(`it is nested deeper than ${limits.jsonDepth}`);
        deepest = Math.max(deepest, depth);
        break;
      case ']':
      case '}':
        depth -= 1;
        break;
      default:
    }
  }
  return deepest;
}

/** Where the string that starts at `start` has its closing quote; the end of the text where it has none. */
function endOfString(source: string, start: number): number {
  let at = start + 1;
  while (at < source.length && source[at] !== '"') at += source[at] === '\\' ? 2 : 1;
  return at;
}
