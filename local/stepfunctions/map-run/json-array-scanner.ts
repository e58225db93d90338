import { parseText } from '../execution/json-text.ts';
import type { Json } from '../language/json.ts';
import { ItemReaderError } from './item-reader-error.ts';

type Frame = { readonly isArray: boolean; key: string; index: number };

/**
 * Finds the elements of one array in a JSON text that comes in pieces, without keeping more than
 * the element at hand. `pointer` says which array (RFC 6901, cut at its slashes); empty is the
 * whole document.
 */
export class JsonArrayScanner {
  readonly #pointer: readonly string[];
  readonly #frames: Frame[] = [];
  /** How deep the scanner is inside an element; undefined outside of the array. */
  #depthInArray: number | undefined;
  #pieces: string[] = [];
  #isInText = false;
  #isEscaped = false;
  /** The last text read outside of the array: a member's name, if a colon follows. */
  #name = '';
  #isDone = false;
  #hasRoot = false;

  constructor(pointer: readonly string[]) {
    this.#pointer = pointer;
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** The elements that are complete with this piece. */
  push(piece: string): Json[] {
    const items: Json[] = [];
    let from = this.#depthInArray === undefined ? -1 : 0;
    for (let at = 0; at < piece.length && !this.#isDone; at++) {
      const character = piece.charAt(at);
      if (this.#isInText) {
        this.#readText(character);
        continue;
      }
      if (character === '"') {
        this.#isInText = true;
        if (this.#depthInArray === undefined) this.#name = '';
        continue;
      }
      if (this.#depthInArray === undefined) {
        if (this.#stepOutside(character)) from = at + 1;
        continue;
      }
      if (character === '[' || character === '{') this.#depthInArray++;
      else if (character === ',' || character === ']' || character === '}') {
        if (this.#depthInArray > 0) {
          if (character !== ',') this.#depthInArray--;
          continue;
        }
        this.#pieces.push(piece.slice(from, at));
        from = at + 1;
        this.#endElement(items, character);
      }
    }
    if (this.#depthInArray !== undefined && from >= 0 && !this.#isDone) {
      this.#pieces.push(piece.slice(from));
    }
    return items;
  }

  /** Throws ItemReaderError if the array was not there, or not all of it. */
  end(): void {
    if (this.#isDone) return;
    if (this.#depthInArray !== undefined) throw new ItemReaderError('The JSON ends too early.');
    throw notIterable();
  }

  #readText(character: string): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (character === '\\') this.#isEscaped = true;
    else if (character === '"') {
      this.#isInText = false;
      return;
    }
    if (this.#depthInArray === undefined) this.#name += character;
  }

  /** Returns whether the array that is looked for begins here. */
  #stepOutside(character: string): boolean {
    const frame = this.#frames.at(-1);
    switch (character) {
      case ':':
        if (frame) frame.key = decodeName(this.#name);
        return false;
      case ',':
        if (frame?.isArray) frame.index++;
        return false;
      case '[':
      case '{': {
        this.#hasRoot = true;
        const isTarget = this.#isTarget();
        if (isTarget && character === '{') throw notIterable();
        if (isTarget) {
          this.#depthInArray = 0;
          return true;
        }
        this.#frames.push({ isArray: character === '[', key: '', index: 0 });
        return false;
      }
      case ']':
      case '}':
        this.#frames.pop();
        return false;
      default:
        if (!this.#hasRoot && character.trim() !== '' && character !== '\uFEFF') {
          throw notIterable();
        }
        return false;
    }
  }

  #isTarget(): boolean {
    if (this.#frames.length !== this.#pointer.length) return false;
    return this.#frames.every(
      ({ isArray, key, index }, depth) => (isArray ? String(index) : key) === this.#pointer[depth],
    );
  }

  #endElement(items: Json[], character: string): void {
    const text = this.#pieces.join('');
    this.#pieces = [];
    this.#isDone = character !== ',';
    // The array may be empty.
    if (this.#isDone && text.trim() === '' && items.length === 0) return;
    try {
      items.push(parseText(text.trim()));
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      throw new ItemReaderError(`An element of the JSON array cannot be read: ${problem}`);
    }
  }
}

function decodeName(raw: string): string {
  try {
    return String(JSON.parse(`"${raw}"`));
  } catch {
    return raw;
  }
}

/** In AWS's words, as recorded. */
function notIterable(): ItemReaderError {
  return new ItemReaderError('Attempting to map over non-iterable node.');
}

export async function* jsonArrayItems(
  chunks: AsyncIterable<string>,
  pointer: readonly string[],
): AsyncGenerator<Json> {
  const scanner = new JsonArrayScanner(pointer);
  for await (const chunk of chunks) {
    yield* scanner.push(chunk);
    if (scanner.isDone) return;
  }
  scanner.end();
}
