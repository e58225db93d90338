import { LanguageSample } from './language.ts';
import { WordCount } from './word-count.ts';

/** `{words, lines, characters, language}` of a text of any size; `characters` are UTF-16 code units. */
export async function extractText(pieces: AsyncIterable<string>): Promise<Record<string, unknown>> {
  const count = new WordCount();
  const sample = new LanguageSample();
  for await (const piece of pieces) {
    count.add(piece);
    sample.add(piece);
  }
  return { ...count.totals(), language: sample.language() };
}
