import type { RE2JS } from 're2js';
import { compileLinear } from '../bounded-regexp.ts';

/** As much of RegExp as jsonata uses, on RE2: matching takes time linear in the text. */
class LinearRegExp {
  lastIndex = 0;
  private readonly compiled: RE2JS;

  constructor(pattern: RegExp) {
    this.compiled = compileLinear(pattern.source, pattern.flags);
  }

  exec(text: string): RegExpExecArray | null {
    const matcher = this.compiled.matcher(text);
    if (this.lastIndex > text.length || !matcher.find(this.lastIndex)) {
      this.lastIndex = 0;
      return null;
    }
    this.lastIndex = matcher.end();
    const groups = Array.from({ length: matcher.groupCount() }, (_, index) =>
      matcher.group(index + 1),
    );
    const match = [matcher.group(0) ?? '', ...groups.map((each) => each ?? undefined)];
    return Object.assign(match, {
      index: matcher.start(),
      input: text,
    }) as unknown as RegExpExecArray;
  }
}

/** For jsonata's option `RegexEngine`. */
export const linearRegExp = LinearRegExp as unknown as RegExpConstructor;
