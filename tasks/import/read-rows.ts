import { isUtf8 } from 'node:buffer';
import { type ParsedJson, parseExactJson } from '../../jobs/exact-json.ts';
import type { ImportedRow, RowProblem, RowProblemCode } from '../../jobs/store/imports.ts';
import { type ParsedRecord, parseCsvRecord, parseCsvRecords } from './csv-records.ts';
import { type RecordFormat, type RecordPlace, splitRecords } from './record-splitter.ts';

/** What a chunk holds: rows to store, and what is wrong with the others. Both together are all of its records. */
export type ChunkRows = {
  readonly rows: readonly ImportedRow[];
  readonly problems: readonly RowProblem[];
};

export type RowFormat = {
  readonly records: RecordFormat;
  /** Of a CSV. */
  readonly columns: readonly string[] | null;
  readonly keyField: string;
};

/** An index entry of Postgres holds some 2,700 bytes: tenant, dataset and key together. */
const maxKeyBytes = 1024;

/** Why a row is not imported. A class, because a row's data may have any property. */
class Refusal {
  readonly code: RowProblemCode;
  readonly message: string;
  constructor(code: RowProblemCode, message: string) {
    this.code = code;
    this.message = message;
  }
}

type Data = Readonly<Record<string, unknown>>;

const notUtf8 = new Refusal('NOT_UTF8', 'it is not UTF-8 text');

/** Reads the records of a chunk, whose first one begins on `firstLine`. A bad one costs itself only. */
export function readRows(bytes: Buffer, firstLine: number, format: RowFormat): ChunkRows {
  const { records, columns, keyField } = format;
  const places = splitRecords(records, bytes, firstLine);
  const read =
    records.kind === 'csv'
      ? readCsv(bytes, places, records.delimiter, columns ?? [])
      : places.map(({ start, end }) => readNdjson(bytes.subarray(start, end)));
  const rows: ImportedRow[] = [];
  const problems: RowProblem[] = [];
  for (const [index, data] of read.entries()) {
    const line = places[index]?.line ?? firstLine;
    const found = rowOf(data, keyField);
    if (found instanceof Refusal) problems.push({ line, code: found.code, message: found.message });
    else rows.push({ line, ...found });
  }
  return { rows, problems };
}

function readCsv(
  bytes: Buffer,
  places: readonly RecordPlace[],
  delimiter: string,
  columns: readonly string[],
): (Data | Refusal)[] {
  if (isUtf8(bytes)) {
    const mayHoldNul = bytes.includes(0);
    return parseCsvRecords(bytes, places, delimiter).map((parsed) =>
      csvData(parsed, columns, mayHoldNul),
    );
  }
  return places.map(({ start, end }) => {
    const record = bytes.subarray(start, end);
    return isUtf8(record) ? csvData(parseCsvRecord(record, delimiter), columns, true) : notUtf8;
  });
}

function csvData(
  parsed: ParsedRecord,
  columns: readonly string[],
  mayHoldNul: boolean,
): Data | Refusal {
  if ('problem' in parsed) return new Refusal('QUOTES', parsed.problem);
  const { fields } = parsed;
  if (fields.length !== columns.length) {
    const message = `it has ${fields.length} fields, the header ${columns.length}`;
    return new Refusal('COLUMN_COUNT', message);
  }
  if (mayHoldNul && fields.some((field) => field.includes('\u0000'))) {
    return new Refusal('NOT_STORABLE', 'it holds the character U+0000, which cannot be stored');
  }
  return Object.fromEntries(columns.map((column, index) => [column, fields[index] ?? '']));
}

function readNdjson(record: Buffer): Data | Refusal {
  if (!isUtf8(record)) return notUtf8;
  const parsed = parseJson(record.toString('utf8'));
  if (parsed === undefined) return new Refusal('NOT_JSON', 'it is not JSON');
  if (!parsed.ok) {
    const [problem] = parsed.problems;
    return new Refusal(
      'NOT_STORABLE',
      `${problem?.pointer ?? ''} ${problem?.message ?? ''}`.trim(),
    );
  }
  const { value } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return new Refusal('NOT_AN_OBJECT', 'it is JSON, but not an object');
  }
  return value as Data;
}

function parseJson(text: string): ParsedJson | undefined {
  try {
    return parseExactJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function rowOf(
  data: Data | Refusal,
  keyField: string,
): Pick<ImportedRow, 'key' | 'data'> | Refusal {
  if (data instanceof Refusal) return data;
  const value = Object.hasOwn(data, keyField) ? data[keyField] : undefined;
  const key = typeof value === 'number' ? String(value) : value;
  if (typeof key !== 'string' || key === '') {
    const message = `its ${JSON.stringify(keyField)} is ${value === '' ? 'empty' : 'no text or number'}`;
    return new Refusal('KEY_MISSING', message);
  }
  return Buffer.byteLength(key) <= maxKeyBytes
    ? { key, data }
    : new Refusal('KEY_TOO_LONG', `its key is longer than ${maxKeyBytes} bytes`);
}
