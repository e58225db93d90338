import { isUtf8 } from 'node:buffer';
import { Terminal } from '../../jobs/failure.ts';
import { parseCsvRecord } from './csv-records.ts';
import { type RecordFormat, type RecordPlace, RecordSplitter } from './record-splitter.ts';

/** Of the head, that is of a header too. AWS's own limit for the headers of a Map's CSV is 10 KiB. */
export const maxHeaderBytes = 16 * 1024;
const delimiters = [',', ';', '\t', '|'] as const;

/** How a payload is read, and where its data begin: behind a byte order mark and the header. */
export type PayloadFormat = {
  readonly records: RecordFormat;
  /** Of a CSV, from its header. */
  readonly columns: readonly string[] | null;
  readonly offset: number;
  readonly line: number;
};

/** What the first bytes of files that are something else say. */
const strangers: readonly (readonly [bytes: readonly number[], what: string])[] = [
  [[0xff, 0xfe], 'UTF-16 text: convert it to UTF-8'],
  [[0xfe, 0xff], 'UTF-16 text: convert it to UTF-8'],
  [[0x1f, 0x8b], 'compressed (gzip): upload it unpacked'],
  [[0x50, 0x4b, 0x03, 0x04], 'a ZIP file or a spreadsheet: export it as CSV'],
];
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * What `head`, the first bytes of a payload, and its content type say of it: CSV with a header and any of four
 * delimiters, or NDJSON. `isWhole`: nothing follows. Throws Terminal IMPORT_UNREADABLE.
 */
export function payloadFormat(
  head: Buffer,
  isWhole: boolean,
  contentType: string | null,
): PayloadFormat {
  const stranger = strangers.find(([bytes]) => bytes.every((byte, index) => head[index] === byte));
  if (stranger !== undefined) throw unreadable(`it is ${stranger[1]}`);
  const offset = head.indexOf(byteOrderMark) === 0 ? byteOrderMark.length : 0;
  const first = head.subarray(offset).toString('latin1').trimStart()[0];
  if (kindOf(contentType, first) === 'ndjson') {
    if (first === '[') throw unreadable('it is a JSON array: write one object a line');
    return { records: { kind: 'ndjson' }, columns: null, offset, line: 1 };
  }
  return csvFormat(head, offset, isWhole);
}

/** What the content type names; else what the first character looks like. */
function kindOf(contentType: string | null, first: string | undefined): 'csv' | 'ndjson' {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (/^(application|text)\/(x-)?(ndjson|jsonl|jsonlines|json-seq)$/.test(type)) return 'ndjson';
  if (/^text\/(csv|tab-separated-values)$/.test(type)) return 'csv';
  return first === '{' || first === '[' ? 'ndjson' : 'csv';
}

function csvFormat(head: Buffer, offset: number, isWhole: boolean): PayloadFormat {
  const delimiter = delimiterOf(head.subarray(offset));
  const records: RecordFormat = { kind: 'csv', delimiter };
  const header = headerPlace(records, head, offset, isWhole);
  const bytes = head.subarray(header.start, header.end);
  if (!isUtf8(bytes)) throw unreadable('its header is not UTF-8 text');
  const columns = columnsOf(bytes, delimiter);
  // A line feed, at most behind a carriage return, stands between the header and the data.
  const lineEnd = head.indexOf(0x0a, header.end);
  const dataOffset = lineEnd === -1 ? head.length : lineEnd + 1;
  return { records, columns, offset: dataOffset, line: linesBefore(head, dataOffset) };
}

function headerPlace(
  format: RecordFormat,
  head: Buffer,
  offset: number,
  isWhole: boolean,
): RecordPlace {
  const found: RecordPlace[] = [];
  const from = { offset, line: 1 };
  const splitter = new RecordSplitter(format, from, (record) => found.push(record));
  splitter.push(head.subarray(offset));
  if (isWhole) splitter.end();
  const [header] = found;
  if (header !== undefined && header.end - header.start <= maxHeaderBytes) return header;
  throw unreadable(
    isWhole && header === undefined
      ? 'it is empty: a CSV needs a header'
      : `its header is longer than ${maxHeaderBytes} bytes`,
  );
}

function columnsOf(header: Buffer, delimiter: string): string[] {
  const parsed = parseCsvRecord(header, delimiter);
  if ('problem' in parsed) throw unreadable(`its header is broken: ${parsed.problem}`);
  const columns = parsed.fields.map((name) => name.trim());
  for (const [index, name] of columns.entries()) {
    if (name === '') throw unreadable(`column ${index + 1} of its header has no name`);
    if (name.includes('\u0000')) throw unreadable('its header holds the character U+0000');
    if (columns.indexOf(name) !== index) {
      throw unreadable(`its header names the column ${JSON.stringify(name)} twice`);
    }
  }
  return columns;
}

/** The one that the first line has most of, outside of quotes. */
function delimiterOf(text: Buffer): string {
  const counts = new Map<string, number>(delimiters.map((delimiter) => [delimiter, 0]));
  let inQuotes = false;
  for (const character of text.subarray(0, maxHeaderBytes).toString('latin1').trimStart()) {
    if (character === '"') inQuotes = !inQuotes;
    if (inQuotes) continue;
    if (character === '\n') break;
    const count = counts.get(character);
    if (count !== undefined) counts.set(character, count + 1);
  }
  return [...counts].reduce((best, next) => (next[1] > best[1] ? next : best))[0];
}

function linesBefore(head: Buffer, offset: number): number {
  let line = 1;
  for (let at = head.indexOf(0x0a); at !== -1 && at < offset; at = head.indexOf(0x0a, at + 1)) {
    line += 1;
  }
  return line;
}

const unreadable = (why: string): Terminal =>
  new Terminal('IMPORT_UNREADABLE', `the payload cannot be imported: ${why}`);
