import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'csv-parse/sync';
import * as fc from 'fast-check';
import { parseCsvRecord, parseCsvRecords } from '../../tasks/import/csv-records.ts';
import {
  type RecordFormat,
  type RecordPlace,
  RecordSplitter,
  splitRecords,
} from '../../tasks/import/record-splitter.ts';

const csv: RecordFormat = { kind: 'csv', delimiter: ',' };
const ndjson: RecordFormat = { kind: 'ndjson' };
const options = {
  record_delimiter: ['\r\n', '\n'],
  skip_empty_lines: true,
  relax_column_count: true,
};

const textOf = (bytes: Buffer, { start, end }: RecordPlace): string =>
  bytes.subarray(start, end).toString('utf8');
const texts = (format: RecordFormat, text: string): string[] => {
  const bytes = Buffer.from(text);
  return splitRecords(format, bytes).map((place) => textOf(bytes, place));
};

/** Text out of the characters that matter to CSV, and a few that do not. */
const awkward = fc
  .array(fc.constantFrom('"', '""', ',', '\n', '\r\n', '\r', 'a', 'bc', ' ', 'é', '𝄞'), {
    maxLength: 40,
  })
  .map((parts) => parts.join(''));

const quotedField = (text: string): string => `"${text.replaceAll('"', '""')}"`;
/** Fields as any program may write them: in quotes where they must be, and sometimes where not. */
const field = fc.oneof(
  awkward.map(quotedField),
  fc.string().map(quotedField),
  fc.constantFrom('', 'a', '1.5', 'é', ' x '),
);
const validCsv = fc
  .array(fc.tuple(fc.array(field, { minLength: 1, maxLength: 4 }), fc.constantFrom('\n', '\r\n')))
  .map((records) => records.map(([fields, end]) => fields.join(',') + end).join(''));

test('in CSV that csv-parse takes, records are where csv-parse sees them', () => {
  fc.assert(
    fc.property(fc.oneof(validCsv, awkward), (text) => {
      let whole: string[][];
      try {
        whole = parse(text, options);
      } catch {
        return; // what the parser refuses is of the next test
      }
      const bytes = Buffer.from(text);
      const each = splitRecords(csv, bytes).map((place) =>
        parseCsvRecord(bytes.subarray(place.start, place.end), ','),
      );
      assert.deepEqual(
        each,
        whole.map((fields) => ({ fields })),
      );
    }),
    { numRuns: 5_000 },
  );
});

test('in any text, a record is read as csv-parse reads it alone, whether its neighbours are broken or not', () => {
  fc.assert(
    fc.property(fc.oneof(validCsv, awkward), (text) => {
      const bytes = Buffer.from(text);
      const places = splitRecords(csv, bytes);
      const alone = places.map(({ start, end }) => parseCsvRecord(bytes.subarray(start, end), ','));
      assert.deepEqual(parseCsvRecords(bytes, places, ','), alone);
    }),
    { numRuns: 20_000 },
  );
});

test('records are the same however the bytes are cut into pieces', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(csv, ndjson),
      fc.oneof(validCsv, awkward),
      fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 10 }),
      (format, text, sizes) => {
        const bytes = Buffer.from(text);
        const found: RecordPlace[] = [];
        const splitter = new RecordSplitter(format, { offset: 0, line: 1 }, (place) =>
          found.push(place),
        );
        for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
          const size = sizes[turn % sizes.length] ?? 1;
          splitter.push(bytes.subarray(at, at + size));
          at += size;
        }
        splitter.end();
        assert.deepEqual(found, splitRecords(format, bytes));
      },
    ),
    { numRuns: 2_000 },
  );
});

test('a record’s line is the one on which it begins', () => {
  fc.assert(
    fc.property(fc.constantFrom(csv, ndjson), fc.oneof(validCsv, awkward), (format, text) => {
      const bytes = Buffer.from(text);
      for (const { start, line } of splitRecords(format, bytes)) {
        assert.equal(line, bytes.subarray(0, start).toString('latin1').split('\n').length);
      }
    }),
    { numRuns: 1_000 },
  );
});

test('line ends in quotes belong to the record, others end it', () => {
  assert.deepEqual(texts(csv, 'a,"b\nc"\r\n\n\r\nd,"e ""f""\r\n"\n'), [
    'a,"b\nc"',
    'd,"e ""f""\r\n"',
  ]);
  assert.deepEqual(texts(ndjson, '{"a":1}\r\n \t\r\n\n{"a":"x"}'), ['{"a":1}\r', '{"a":"x"}']);
});

test('a quote inside an unquoted field opens nothing; one that is never closed takes all that follows', () => {
  assert.deepEqual(texts(csv, '6" pipe,a\nnext,b\n'), ['6" pipe,a', 'next,b']);
  assert.deepEqual(texts(csv, 'x,"open\nnext,b\n'), ['x,"open\nnext,b\n']);
});
