import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { storableText } from '../../jobs/failure.ts';
import { ColumnType, type ColumnTypeName } from './column-type.ts';
import { damaged, DocumentError, limits, tooComplex } from './document-facts.ts';
import { delimiters } from './document-kind.ts';

/**
 * `{columns, rows, types}` of a CSV whose first record names the columns: how many records follow (empty lines do
 * not count), and for each column what all of its values are. Memory does not grow with the file.
 */
export async function extractCsv(
  pieces: AsyncIterable<string>,
  head: Buffer,
): Promise<Record<string, unknown>> {
  const parser = Readable.from(pieces).compose(
    parse({
      bom: true,
      delimiter: delimiterOf(head.toString('utf8')),
      skip_empty_lines: true,
      relax_column_count: true,
      max_record_size: limits.csvRecordBytes,
    }),
  );
  let names: string[] | undefined;
  let types: ColumnType[] = [];
  let rows = 0;
  try {
    for await (const record of parser as AsyncIterable<string[]>) {
      if (names === undefined) {
        names = uniqueNames(record);
        types = names.map(() => new ColumnType());
        continue;
      }
      rows += 1;
      for (const [index, type] of types.entries()) type.add(record[index] ?? '');
    }
  } catch (error) {
    throw csvFailure(error);
  }
  return facts(names ?? [], types, rows);
}

function facts(names: string[], types: ColumnType[], rows: number): Record<string, unknown> {
  const typeNames = names.map((name, index): [string, ColumnTypeName] => [
    name,
    types[index]?.name() ?? 'empty',
  ]);
  return { columns: names, rows, types: Object.fromEntries(typeNames) };
}

/** The one that the first line has most of. */
function delimiterOf(head: string): string {
  const [firstLine = ''] = head.split(/\r?\n/, 1);
  const counted = delimiters.map((delimiter) => ({
    delimiter,
    count: firstLine.split(delimiter).length,
  }));
  return counted.reduce((best, next) => (next.count > best.count ? next : best)).delimiter;
}

/** Names that an object can hold: none empty, none twice, each short. */
function uniqueNames(header: string[]): string[] {
  const taken = new Set<string>();
  return header.slice(0, limits.csvColumnsNamed).map((text, index) => {
    const wanted = storableText(text.trim(), 40) || `column_${index + 1}`;
    const name = taken.has(wanted) ? `${wanted}_${index + 1}` : wanted;
    taken.add(name);
    return name;
  });
}

function csvFailure(error: unknown): Error {
  if (error instanceof DocumentError) return error;
  if (!(error instanceof CsvError))
    return error instanceof Error ? error : new Error(String(error));
  if (error.code === 'CSV_MAX_RECORD_SIZE') {
    return tooComplex(`a record is longer than ${limits.csvRecordBytes} characters`);
  }
  // The message may quote the record; the code and the line say what to look for.
  const line = 'lines' in error ? ` at line ${String(error['lines'])}` : '';
  return damaged(`it is not CSV: ${error.code}${line}`);
}
