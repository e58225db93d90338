/** One environment variable as docs/configuration.md shows it. */
export type Variable = {
  readonly name: string;
  readonly means: string;
  readonly fallback: string | undefined;
};

/** Thrown once, with every problem found, so that a person mends the environment in one go. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  constructor(problems: readonly string[]) {
    super(
      `the environment is not usable:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
    );
  }
}

/** Reads variables, collecting what is wrong instead of throwing at the first; `finish` throws them all. */
export class ConfigReader {
  readonly variables: Variable[] = [];
  readonly #problems: string[] = [];
  readonly #env: Readonly<Record<string, string | undefined>>;

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#env = env;
  }

  /** A variable without a fallback is required; an empty one counts as not set. */
  text(name: string, means: string, fallback?: string): string {
    this.variables.push({ name, means, fallback });
    const value = this.#env[name];
    if (value !== undefined && value !== '') return value;
    if (fallback === undefined) this.#problems.push(`${name} is not set: ${means}`);
    return fallback ?? '';
  }

  optional(name: string, means: string): string | undefined {
    const value = this.text(name, means, '');
    return value === '' ? undefined : value;
  }

  url(name: string, means: string, fallback?: string): string {
    const value = this.text(name, means, fallback);
    if (value !== '' && !URL.canParse(value)) this.#problems.push(`${name} is not a URL: ${means}`);
    return value;
  }

  integer(
    name: string,
    means: string,
    fallback: number,
    range: { min: number; max: number },
  ): number {
    const text = this.text(name, `${means} (${range.min} to ${range.max})`, String(fallback));
    const value = Number(text);
    if (Number.isInteger(value) && value >= range.min && value <= range.max) return value;
    this.#problems.push(
      `${name}=${text} must be a whole number from ${range.min} to ${range.max}: ${means}`,
    );
    return fallback;
  }

  /** Values separated by commas, each of the given shape. */
  list(name: string, means: string, shape: RegExp, fallback?: string): string[] {
    const values = this.text(name, `${means}, separated by commas`, fallback).split(',');
    for (const value of values) {
      if (value !== '' && !shape.test(value))
        this.#problems.push(`${name} holds "${value}", which is not ${shape.source}: ${means}`);
    }
    return values.filter((value) => value !== '');
  }

  flag(name: string, means: string): boolean {
    return this.oneOf(name, `${means} (1 = yes)`, ['0', '1'], '0') === '1';
  }

  oneOf<const Value extends string>(
    name: string,
    means: string,
    values: readonly Value[],
    fallback: Value,
  ): Value {
    const text = this.text(name, means, fallback);
    const found = values.find((value) => value === text);
    if (found !== undefined) return found;
    this.#problems.push(`${name}=${text} must be one of ${values.join(', ')}: ${means}`);
    return fallback;
  }

  finish(): void {
    if (this.#problems.length > 0) throw new ConfigError(this.#problems);
  }
}
