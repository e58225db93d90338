/** Counts words (runs of what is not white space, as `wc -w`) and lines of a text that comes in pieces. */
export class WordCount {
  words = 0;
  lines = 0;
  characters = 0;
  #inWord = false;
  #openLine = false;

  add(piece: string): void {
    if (piece === '') return;
    for (const _ of piece.matchAll(/\S+/g)) this.words += 1;
    if (this.#inWord && /^\S/.test(piece)) this.words -= 1;
    this.#inWord = /\S$/.test(piece);
    for (let at = piece.indexOf('\n'); at !== -1; at = piece.indexOf('\n', at + 1)) this.lines += 1;
    this.#openLine = !piece.endsWith('\n');
    this.characters += piece.length;
  }

  /** The last line counts also where no newline ends it. */
  totals(): { words: number; lines: number; characters: number } {
    const { words, characters } = this;
    return { words, lines: this.lines + Number(this.#openLine), characters };
  }
}
