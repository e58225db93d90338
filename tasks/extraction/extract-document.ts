import { decodeText, wholeText } from './decode-text.ts';
import { type DocumentFacts, type DocumentHints, limits, tooComplex } from './document-facts.ts';
import { type DetectedKind, detectKind, headBytes } from './document-kind.ts';

type Bytes = AsyncIterable<Buffer>;

/**
 * What a document says about itself, by its kind. Reads `bytes` to their end wherever it does not throw; runs in a
 * process that may be lost (document-reader.ts), with the libraries of a kind loaded when it first comes.
 */
export async function extractDocument(bytes: Bytes, hints: DocumentHints): Promise<DocumentFacts> {
  const { head, all } = await peek(bytes);
  const detected = detectKind(head, hints.contentType);
  const metadata = await extract(detected, head, all, hints);
  return { contentType: detected.contentType, metadata };
}

async function extract(
  { kind }: DetectedKind,
  head: Buffer,
  all: Bytes,
  { bytes, contentType }: DocumentHints,
): Promise<Record<string, unknown>> {
  switch (kind) {
    case 'pdf': {
      const { extractPdf } = await import('./extract-pdf.ts');
      return await extractPdf(await whole(all, bytes, limits.wholeBytes));
    }
    case 'image': {
      const { extractImage } = await import('./extract-image.ts');
      return await extractImage(await whole(all, bytes, limits.wholeBytes));
    }
    case 'csv': {
      const { extractCsv } = await import('./extract-csv.ts');
      return await extractCsv(decodeText(all, head, contentType), head);
    }
    case 'json': {
      const { extractJson } = await import('./extract-json.ts');
      refuseLarger(bytes, limits.jsonBytes);
      return extractJson(await wholeText(decodeText(all, head, contentType)));
    }
    case 'text': {
      const { extractText } = await import('./extract-text.ts');
      return await extractText(decodeText(all, head, contentType));
    }
    case 'unknown': {
      for await (const _ of all); // to the end, so that the bytes are checked against the pin
      return { kind: 'unknown' };
    }
  }
}

function refuseLarger(bytes: number, limit: number): void {
  if (bytes > limit)
    throw tooComplex(`it is ${bytes} bytes; a file of this kind is read up to ${limit}`);
}

async function whole(all: Bytes, bytes: number, limit: number): Promise<Buffer> {
  refuseLarger(bytes, limit);
  const chunks: Buffer[] = [];
  for await (const chunk of all) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The first bytes, and all of them again. */
async function peek(bytes: Bytes): Promise<{ head: Buffer; all: Bytes }> {
  const iterator = bytes[Symbol.asyncIterator]();
  const first: Buffer[] = [];
  let length = 0;
  while (length < headBytes) {
    const next = await iterator.next();
    if (next.done === true) break;
    first.push(next.value);
    length += next.value.length;
  }
  async function* all(): AsyncGenerator<Buffer> {
    yield* first;
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
      yield next.value;
    }
  }
  return { head: Buffer.concat(first).subarray(0, headBytes), all: all() };
}
