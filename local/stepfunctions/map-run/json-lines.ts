import { parseText } from '../execution/json-text.ts';
import type { Json } from '../language/json.ts';
import { ItemReaderError } from './item-reader-error.ts';

/** The values of a JSON Lines text, one a line; empty lines are skipped. */
export async function* jsonLines(chunks: AsyncIterable<string>): AsyncGenerator<Json> {
  let rest = '';
  let number = 0;
  const parse = (line: string): Json => {
    try {
      return parseText(line);
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      throw new ItemReaderError(`Line ${number} is not JSON: ${problem}`);
    }
  };
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      number++;
      if (line.trim() !== '') yield parse(line);
    }
  }
  number++;
  if (rest.trim() !== '') yield parse(rest);
}
