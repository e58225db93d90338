import { Terminal } from '../../jobs/failure.ts';
import { maxHeaderBytes, type PayloadFormat, payloadFormat } from './payload-format.ts';
import { type RecordPlace, RecordSplitter } from './record-splitter.ts';

/** A stretch of whole records, as one child of the Map imports it; `end` is behind its last byte. */
export type Chunk = {
  readonly chunk: number;
  readonly start: number;
  readonly end: number;
  /** On which its first record begins. */
  readonly line: number;
  readonly rows: number;
  /** One record that is longer than may be: it is counted as failed and never read. */
  readonly tooLong: boolean;
};

export type Plan = {
  readonly format: PayloadFormat;
  readonly rows: number;
  readonly chunks: readonly Chunk[];
};

export const maxRows = 1_000_000;
export const maxRowBytes = 1024 * 1024;
/**
 * What a child costs besides its rows (its execution, invocation, range of the payload, progress) is shared by so many.
 * With 1,000 an import of 100,000 rows took a third more processor time; more hold locks for longer and show progress less.
 */
export const maxChunkRows = 2_500;
/** A chunk is read whole: with its rows as JSON this bounds the memory of a child. */
const maxChunkBytes = 1024 * 1024;
const headBytes = 4 * maxHeaderBytes;

/**
 * Reads a payload once and cuts it into chunks. Memory does not grow with the payload or its rows, only with the number
 * of chunks. Throws Terminal IMPORT_UNREADABLE, or PAYLOAD_TOO_LARGE past a million rows.
 */
export async function planChunks(
  payload: AsyncIterable<Buffer>,
  contentType: string | null,
): Promise<Plan> {
  const chunks = new ChunkCutter();
  let head: Buffer | undefined = Buffer.alloc(0);
  let format: PayloadFormat | undefined;
  let splitter: RecordSplitter | undefined;
  const begin = (isWhole: boolean, bytes: Buffer): PayloadFormat => {
    const found = payloadFormat(bytes, isWhole, contentType);
    splitter = new RecordSplitter(found.records, found, (record) => chunks.add(record));
    splitter.push(bytes.subarray(found.offset));
    head = undefined;
    return found;
  };
  for await (const piece of payload) {
    if (head === undefined) {
      splitter?.push(piece);
      continue;
    }
    head = Buffer.concat([head, piece]);
    if (head.length >= headBytes) format = begin(false, head);
  }
  format ??= begin(true, head ?? Buffer.alloc(0));
  splitter?.end();
  return { format, ...chunks.finish() };
}

/** Gathers records into chunks. */
class ChunkCutter {
  readonly #chunks: Chunk[] = [];
  #open: { start: number; end: number; line: number; rows: number } | undefined;
  #rows = 0;

  add(record: RecordPlace): void {
    this.#rows += 1;
    if (this.#rows > maxRows) {
      throw new Terminal('PAYLOAD_TOO_LARGE', `the payload has more than ${maxRows} rows`);
    }
    const isTooLong = record.end - record.start > maxRowBytes;
    if (isTooLong || (this.#open && record.end - this.#open.start > maxChunkBytes)) this.#close();
    this.#open ??= { ...record, rows: 0 };
    this.#open.end = record.end;
    this.#open.rows += 1;
    if (isTooLong || this.#open.rows === maxChunkRows) this.#close(isTooLong);
  }

  finish(): Pick<Plan, 'rows' | 'chunks'> {
    this.#close();
    return { rows: this.#rows, chunks: this.#chunks };
  }

  #close(tooLong = false): void {
    if (this.#open === undefined) return;
    this.#chunks.push({ chunk: this.#chunks.length, ...this.#open, tooLong });
    this.#open = undefined;
  }
}
