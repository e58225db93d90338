import { TextDecoder } from 'node:util';
import { damaged } from './document-facts.ts';
import { hasUtf16Mark } from './document-kind.ts';

type Bytes = AsyncIterable<Buffer>;

/**
 * The text of a document in pieces: UTF-8, UTF-16 with its byte order mark, or the charset that the type names.
 * Throws DOCUMENT_DAMAGED at the first byte that the encoding does not have: never a guess, never U+FFFD.
 */
export async function* decodeText(
  bytes: Bytes,
  head: Buffer,
  declared: string | null,
): AsyncGenerator<string> {
  const encoding = encodingOf(head, declared);
  const decoder = createDecoder(encoding);
  let read = 0;
  const decode = (chunk?: Buffer): string => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch (cause) {
      throw damaged(
        `it is not ${encoding} at about byte ${read}; name its charset in the content type or convert it to UTF-8`,
        cause,
      );
    }
  };
  for await (const chunk of bytes) {
    yield decode(chunk);
    read += chunk.length;
  }
  yield decode();
}

function encodingOf(head: Buffer, declared: string | null): string {
  if (hasUtf16Mark(head)) return head[0] === 0xff ? 'utf-16le' : 'utf-16be';
  return /;\s*charset="?([\w.:-]+)"?/i.exec(declared ?? '')?.[1]?.toLowerCase() ?? 'utf-8';
}

function createDecoder(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch (cause) {
    throw damaged(`its content type names the charset ${encoding}, which does not exist`, cause);
  }
}

/** The whole text of a document whose size is bounded. */
export async function wholeText(pieces: AsyncIterable<string>): Promise<string> {
  const all: string[] = [];
  for await (const piece of pieces) all.push(piece);
  return all.join('');
}
