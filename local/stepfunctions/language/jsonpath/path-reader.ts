/** A path, filter or intrinsic call that does not follow its grammar; `position` counts from 0. */
export class PathSyntaxError extends Error {
  override readonly name = 'PathSyntaxError';
  readonly position: number;

  constructor(message: string, position: number) {
    super(message);
    this.position = position;
  }
}

/** How deep brackets, parentheses and calls may nest: deeper text is refused, not recursed into. */
const maxDepth = 64;

/** A cursor over a text, with the few reading steps that the path and intrinsic grammars share. */
export class PathReader {
  readonly text: string;
  position = 0;
  private depth = 0;

  constructor(text: string) {
    this.text = text;
  }

  isAtEnd(): boolean {
    return this.position >= this.text.length;
  }

  peek(): string | undefined {
    return this.text[this.position];
  }

  peekPastSpace(): string | undefined {
    this.skipSpace();
    return this.peek();
  }

  take(token: string): boolean {
    if (!this.text.startsWith(token, this.position)) return false;
    this.position += token.length;
    return true;
  }

  takeComma(): boolean {
    this.skipSpace();
    if (!this.take(',')) return false;
    this.skipSpace();
    return true;
  }

  /** Takes what a sticky pattern matches here. */
  takeMatch(sticky: RegExp): string | undefined {
    sticky.lastIndex = this.position;
    const found = sticky.exec(this.text)?.[0];
    if (found !== undefined) this.position += found.length;
    return found;
  }

  skipSpace(): void {
    while (this.position < this.text.length && /\s/.test(this.text.charAt(this.position))) {
      this.position += 1;
    }
  }

  expect(token: string): void {
    if (!this.take(token)) throw this.unexpected(`expected '${token}'`);
  }

  /** A quoted text; a backslash takes the next character as it is. */
  readQuoted(): string {
    const quote = this.peek();
    if (quote !== "'" && quote !== '"') throw this.unexpected('expected a quoted name');
    this.position += 1;
    let value = '';
    for (;;) {
      const character = this.peek();
      if (character === undefined) throw this.unexpected('the quotation has no end');
      this.position += 1;
      if (character === quote) return value;
      if (character === '\\') {
        value += this.peek() ?? '';
        this.position += 1;
      } else {
        value += character;
      }
    }
  }

  nested<T>(read: () => T): T {
    this.depth += 1;
    if (this.depth > maxDepth) {
      throw new PathSyntaxError(`nested deeper than ${maxDepth} levels`, this.position);
    }
    const value = read();
    this.depth -= 1;
    return value;
  }

  unexpected(detail?: string): PathSyntaxError {
    const found = this.peek();
    const what = found === undefined ? 'the end' : `'${found}'`;
    return new PathSyntaxError(
      `unexpected ${what} at position ${this.position}${detail ? `, ${detail}` : ''}`,
      this.position,
    );
  }
}
