import { franc } from 'franc-min';

const sampleCharacters = 20_000;

/**
 * The language of a text as a BCP 47 tag (`en`, `id`), or null where the text is too short or too mixed to tell.
 * Looks at the first 20,000 characters.
 */
export function languageOf(text: string): string | null {
  // Trigrams do not tell Malay from Indonesian, and our documents are Indonesian.
  const found = franc(text.slice(0, sampleCharacters), { minLength: 24, ignore: ['zlm'] });
  // franc speaks ISO 639-3; Intl gives the shortest code, as BCP 47 wants it.
  return found === 'und' ? null : new Intl.Locale(found).language;
}

/** Keeps the beginning of a text that comes in pieces, as much as a language is told by. */
export class LanguageSample {
  #text = '';

  add(piece: string): void {
    if (this.#text.length < sampleCharacters) this.#text += piece.slice(0, sampleCharacters);
  }

  language(): string | null {
    return languageOf(this.#text);
  }
}
