import { ItemReaderError } from './item-reader-error.ts';

/** https://docs.aws.amazon.com/step-functions/latest/dg/input-output-itemreader.html */
const MAX_ROW_CHARACTERS = 8 * 1024 * 1024;

/**
 * The rows of a CSV text (RFC 4180: fields in double quotes may hold delimiters, line ends and
 * doubled quotes). Lines with nothing at all in them are no rows.
 */
export async function* csvRows(
  chunks: AsyncIterable<string>,
  delimiter: string,
): AsyncGenerator<string[]> {
  let row: string[] = [];
  let field = '';
  let state: 'start' | 'plain' | 'quoted' | 'quote-in-quoted' = 'start';
  let characters = 0;
  let afterCarriageReturn = false;

  const endField = (): void => {
    row.push(field);
    field = '';
    state = 'start';
  };
  const endRow = (): string[] | undefined => {
    const isEmpty = row.length === 0 && field === '' && state === 'start';
    endField();
    const ended = row;
    row = [];
    characters = 0;
    return isEmpty ? undefined : ended;
  };

  for await (const chunk of chunks) {
    for (const character of chunk) {
      if (++characters > MAX_ROW_CHARACTERS) {
        throw new ItemReaderError(`A CSV row has more than ${MAX_ROW_CHARACTERS} characters.`);
      }
      const isSecondOfLineEnd = afterCarriageReturn && character === '\n';
      afterCarriageReturn = false;
      if (isSecondOfLineEnd) continue;
      if (state === 'quoted') {
        if (character === '"') state = 'quote-in-quoted';
        else field += character;
      } else if (character === '"' && state === 'quote-in-quoted') {
        field += '"';
        state = 'quoted';
      } else if (character === '"' && state === 'start') state = 'quoted';
      else if (character === delimiter) endField();
      else if (character === '\n' || character === '\r') {
        afterCarriageReturn = character === '\r';
        const ended = endRow();
        if (ended) yield ended;
      } else {
        field += character;
        state = 'plain';
      }
    }
  }
  if (state === 'quoted') throw new ItemReaderError('A quoted CSV field does not end.');
  const last = endRow();
  if (last) yield last;
}
