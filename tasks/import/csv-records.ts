import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import type { RecordPlace } from './record-splitter.ts';

export type ParsedRecord = { readonly fields: readonly string[] } | { readonly problem: string };

const optionsOf = (delimiter: string) => ({
  delimiter,
  // Named, because the parser would settle on whichever it sees first.
  record_delimiter: ['\r\n', '\n'],
  skip_empty_lines: true,
  relax_column_count: true,
});

/** The fields of one record, or what is wrong with its quotes. */
export function parseCsvRecord(bytes: Buffer, delimiter: string): ParsedRecord {
  try {
    const records: string[][] = parse(bytes, optionsOf(delimiter));
    const [fields] = records;
    if (fields !== undefined && records.length === 1) return { fields };
    return { problem: 'it is not one record' };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return { problem: quoteProblems[error.code] ?? `it is not CSV (${error.code})` };
  }
}

/** In words of ours, without the text of the row that the parser quotes. */
const quoteProblems: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened and never closed',
  CSV_INVALID_CLOSING_QUOTE: 'text follows a closing quote; a quote inside quotes is written twice',
  INVALID_OPENING_QUOTE: 'a quote stands inside a field that does not begin with one',
};

/** The fields of each record of a chunk; a broken one harms no other. */
export const parseCsvRecords = (
  bytes: Buffer,
  records: readonly RecordPlace[],
  delimiter: string,
): ParsedRecord[] =>
  records.map(({ start, end }) => {
    const fields = wellFormedFields(bytes.toString('utf8', start, end), delimiter);
    return fields === undefined
      ? parseCsvRecord(bytes.subarray(start, end), delimiter)
      : { fields };
  });

const quote = 0x22;
const lineFeed = 0x0a;

/**
 * The fields of one record as RFC 4180 (section 2) writes them, or undefined where its quotes are anything else: then the
 * parser above says what is wrong. Ten times faster than it, because nothing has to be decided byte by byte.
 */
export function wellFormedFields(record: string, delimiter: string): string[] | undefined {
  const fields: string[] = [];
  for (let at = 0; ;) {
    const isQuoted = record.charCodeAt(at) === quote;
    const end = isQuoted ? endOfQuoted(record, at) : endOfPlain(record, at, delimiter);
    if (end === undefined) return undefined;
    fields.push(isQuoted ? unquote(record, at, end) : record.slice(at, end));
    if (end === record.length) return fields;
    if (record[end] !== delimiter) return undefined;
    at = end + 1;
  }
}

function endOfPlain(record: string, from: number, delimiter: string): number | undefined {
  const found = record.indexOf(delimiter, from);
  const end = found === -1 ? record.length : found;
  for (let at = from; at < end; at += 1) {
    const code = record.charCodeAt(at);
    if (code === quote || code === lineFeed) return undefined;
  }
  return end;
}

/** Behind the quote that closes the field that is opened at `from`. */
function endOfQuoted(record: string, from: number): number | undefined {
  let close = record.indexOf('"', from + 1);
  while (close !== -1 && record.charCodeAt(close + 1) === quote) {
    close = record.indexOf('"', close + 2);
  }
  return close === -1 ? undefined : close + 1;
}

function unquote(record: string, from: number, end: number): string {
  const text = record.slice(from + 1, end - 1);
  return text.includes('"') ? text.replaceAll('""', '"') : text;
}
