/** A record in a payload: byte offsets without its line end, and the line (from 1) on which it begins. */
export type RecordPlace = { readonly start: number; readonly end: number; readonly line: number };

/** How records are told apart. In NDJSON a record is a line; in CSV it may span lines in quotes (RFC 4180, section 2). */
export type RecordFormat =
  | { readonly kind: 'ndjson' }
  | { readonly kind: 'csv'; readonly delimiter: string };

const quote = 0x22;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const tab = 0x09;

/** Where in a CSV field the next byte stands. `closed`: behind a quote inside quotes, which ended them or is doubled. */
const fieldStart = 0;
const unquoted = 1;
const quoted = 2;
const closed = 3;

/**
 * Finds where records begin and end in bytes that come in pieces, in memory that does not grow with a record. Lines end
 * with LF or CRLF; empty ones (in NDJSON also blank ones) are no records.
 *
 * What the quotes of a record get wrong is not judged here: the record ends where its quotes, read as far as they make
 * sense, let a line end count, and its own parser refuses it.
 */
export class RecordSplitter {
  readonly #emit: (record: RecordPlace) => void;
  readonly #isCsv: boolean;
  readonly #delimiter: number;
  /** Of the next byte. */
  #offset: number;
  #line: number;
  #start: number;
  #startLine: number;
  #state = fieldStart;
  #previous = 0;
  #isBlank = true;

  constructor(
    format: RecordFormat,
    from: { readonly offset: number; readonly line: number },
    emit: (record: RecordPlace) => void,
  ) {
    this.#emit = emit;
    this.#isCsv = format.kind === 'csv';
    this.#delimiter = format.kind === 'csv' ? format.delimiter.charCodeAt(0) : 0;
    this.#offset = this.#start = from.offset;
    this.#line = this.#startLine = from.line;
  }

  push(bytes: Uint8Array): void {
    if (this.#isCsv) this.#pushCsv(bytes);
    else this.#pushLines(bytes);
    this.#offset += bytes.length;
    this.#previous = bytes.at(-1) ?? this.#previous;
  }

  /** The last record needs no line end. */
  end(): void {
    this.#close(this.#offset);
  }

  #pushCsv(bytes: Uint8Array): void {
    const delimiter = this.#delimiter;
    let state = this.#state;
    for (let index = 0; index < bytes.length; index += 1) {
      const byte = bytes[index];
      if (byte === lineFeed) {
        this.#line += 1;
        if (state === quoted) continue;
        const previous = index > 0 ? bytes[index - 1] : this.#previous;
        const at = this.#offset + index;
        this.#close(previous === carriageReturn ? Math.max(at - 1, this.#start) : at);
        this.#begin(at + 1);
        state = fieldStart;
      } else if (state === quoted) {
        if (byte === quote) state = closed;
      } else if (byte === delimiter) {
        state = fieldStart;
      } else if (byte === quote && state !== unquoted) {
        state = quoted; // opened, or a doubled quote
      } else {
        state = unquoted;
      }
    }
    this.#state = state;
  }

  #pushLines(bytes: Uint8Array): void {
    for (let from = 0; ;) {
      const found = bytes.indexOf(lineFeed, from);
      const to = found === -1 ? bytes.length : found;
      for (let index = from; this.#isBlank && index < to; index += 1) {
        const byte = bytes[index];
        this.#isBlank = byte === space || byte === tab || byte === carriageReturn;
      }
      if (found === -1) return;
      this.#line += 1;
      this.#close(this.#offset + found);
      this.#begin(this.#offset + found + 1);
      from = found + 1;
    }
  }

  #close(end: number): void {
    const isEmpty = this.#isCsv ? end === this.#start : this.#isBlank;
    if (!isEmpty) this.#emit({ start: this.#start, end, line: this.#startLine });
  }

  #begin(offset: number): void {
    this.#start = offset;
    this.#startLine = this.#line;
    this.#isBlank = true;
  }
}

/** The records of bytes that are all there. */
export function splitRecords(
  format: RecordFormat,
  bytes: Uint8Array,
  firstLine = 1,
): RecordPlace[] {
  const records: RecordPlace[] = [];
  const splitter = new RecordSplitter(format, { offset: 0, line: firstLine }, (record) =>
    records.push(record),
  );
  splitter.push(bytes);
  splitter.end();
  return records;
}
