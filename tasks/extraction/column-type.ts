export type ColumnTypeName = 'integer' | 'number' | 'boolean' | 'date' | 'string' | 'empty';

const tests = {
  // Leading zeros are kept by strings only: 0812 is a telephone number.
  integer: /^[+-]?(?:0|[1-9]\d*)$/,
  number: /^[+-]?(?:(?:0|[1-9]\d*)(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d{1,3})?$/,
  boolean: /^(?:true|false)$/i,
  // RFC 3339 and its date alone.
  date: /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/,
} as const;

const maxTestedLength = 64;

/** Finds out what all values of a column are; empty ones do not count. */
export class ColumnType {
  #possible: (keyof typeof tests)[] = ['integer', 'number', 'boolean', 'date'];
  #seen = false;

  add(value: string): void {
    const text = value.trim();
    if (text === '') return;
    this.#seen = true;
    if (this.#possible.length === 0) return;
    this.#possible =
      text.length > maxTestedLength ? [] : this.#possible.filter((name) => tests[name].test(text));
  }

  name(): ColumnTypeName {
    if (!this.#seen) return 'empty';
    return this.#possible[0] ?? 'string';
  }
}
