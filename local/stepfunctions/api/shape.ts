import { ApiError } from './api-error.ts';

/**
 * The constraints of the service model, checked as AWS checks them: all violations of a request
 * are told at once, in the words of its validator.
 */
export type Shape<T> = {
  /** Adds what is wrong to `problems`; the returned value counts only if there are none. */
  parse(value: unknown, path: string, problems: string[]): T;
  /** How AWS's validator prints a value of this shape. */
  print(value: unknown): string;
};

export type Infer<S> = S extends Shape<infer T> ? T : never;

type Optional<T> = { readonly optional: Shape<T> };
type Fields = Record<string, Shape<unknown> | Optional<unknown>>;
type RequiredKeys<F> = { [K in keyof F]: F[K] extends Optional<unknown> ? never : K }[keyof F];
type OptionalKeys<F> = { [K in keyof F]: F[K] extends Optional<unknown> ? K : never }[keyof F];
type Structure<F> = { readonly [K in RequiredKeys<F>]: F[K] extends Shape<infer T> ? T : never } & {
  readonly [K in OptionalKeys<F>]?: F[K] extends Optional<infer T> ? T : never;
};

export function optional<T>(shape: Shape<T>): Optional<T> {
  return { optional: shape };
}

/** Parses a request; throws ValidationException (or SerializationException for a wrong JSON type). */
export function parseShape<T>(shape: Shape<T>, value: unknown): T {
  const problems: string[] = [];
  const parsed = shape.parse(value, '', problems);
  if (problems.length > 0) {
    const errors = problems.length === 1 ? 'error' : 'errors';
    throw new ApiError(
      'ValidationException',
      `${problems.length} validation ${errors} detected: ${problems.join('; ')}`,
    );
  }
  return parsed;
}

type TextLimits = { min?: number; max?: number; pattern?: RegExp; values?: readonly string[] };

export function text(limits: TextLimits = {}): Shape<string> {
  const { min, max, pattern, values } = limits;
  return {
    print: (value) => String(value),
    parse(value, path, problems) {
      const given = expectType(value, 'string', path);
      const violated = (constraint: string): void =>
        void problems.push(violation(given, path, constraint));
      if (min !== undefined && given.length < min) {
        violated(`Member must have length greater than or equal to ${min}`);
      }
      if (max !== undefined && given.length > max) {
        violated(`Member must have length less than or equal to ${max}`);
      }
      if (pattern && !pattern.test(given)) {
        violated(`Member must satisfy regular expression pattern: ${pattern.source.slice(1, -1)}`);
      }
      if (values && !values.includes(given)) {
        violated(`Member must satisfy enum value set: [${values.join(', ')}]`);
      }
      return given;
    },
  };
}

export function oneOf<const T extends string>(values: readonly T[]): Shape<T> {
  const shape = text({ values });
  return {
    print: (value) => shape.print(value),
    parse: (value, path, problems) => shape.parse(value, path, problems) as T,
  };
}

export function number({ min, max }: { min?: number; max?: number } = {}): Shape<number> {
  return {
    print: (value) => String(value),
    parse(value, path, problems) {
      const given = expectType(value, 'number', path);
      if (min !== undefined && given < min) {
        problems.push(
          violation(String(given), path, `Member must have value greater than or equal to ${min}`),
        );
      }
      if (max !== undefined && given > max) {
        problems.push(
          violation(String(given), path, `Member must have value less than or equal to ${max}`),
        );
      }
      return given;
    },
  };
}

export function integer(limits: { min?: number; max?: number } = {}): Shape<number> {
  const shape = number(limits);
  return {
    print: (value) => shape.print(value),
    parse(value, path, problems) {
      if (typeof value === 'number' && !Number.isInteger(value)) throw wrongType(path, 'integer');
      return shape.parse(value, path, problems);
    },
  };
}

export const flag: Shape<boolean> = {
  print: (value) => String(value),
  parse: (value, path) => expectType(value, 'boolean', path),
};

export function list<T>(
  member: Shape<T>,
  { min, max }: { min?: number; max?: number } = {},
): Shape<T[]> {
  const print = (value: unknown): string =>
    Array.isArray(value)
      ? `[${value.map((each) => member.print(each)).join(', ')}]`
      : String(value);
  return {
    print,
    parse(value, path, problems) {
      if (!Array.isArray(value)) throw wrongType(path, 'list');
      // The members first: a value can be printed only if it has the right types.
      const inMembers: string[] = [];
      const parsed = value.map((each, index) =>
        member.parse(each, `${path}.${index + 1}.member`, inMembers),
      );
      const violated = (constraint: string): void =>
        void problems.push(violation(print(value), path, constraint));
      if (min !== undefined && value.length < min) {
        violated(`Member must have length greater than or equal to ${min}`);
      }
      if (max !== undefined && value.length > max) {
        violated(`Member must have length less than or equal to ${max}`);
      }
      problems.push(...inMembers);
      return parsed;
    },
  };
}

/** `modelName` is the shape's name in the service model: AWS prints it in its errors. */
export function structure<F extends Fields>(fields: F, modelName = ''): Shape<Structure<F>> {
  return {
    print(value) {
      const members = Object.entries(value as object).map(([key, each]) => {
        const field = fields[key];
        const shape = field && ('optional' in field ? field.optional : field);
        return `${key}=${shape ? shape.print(each) : String(each)}`;
      });
      return `${modelName}(${members.join(', ')})`;
    },
    parse(value, path, problems) {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        throw wrongType(path, 'structure');
      }
      const given = value as Record<string, unknown>;
      const parsed: Record<string, unknown> = {};
      for (const [key, field] of Object.entries(fields)) {
        const at = path === '' ? key : `${path}.${key}`;
        const member = given[key];
        if (member === undefined || member === null) {
          if (!('optional' in field)) {
            problems.push(
              `Value null at '${at}' failed to satisfy constraint: Member must not be null`,
            );
          }
          continue;
        }
        const shape = 'optional' in field ? field.optional : field;
        parsed[key] = shape.parse(member, at, problems);
      }
      return parsed as Structure<F>;
    },
  };
}

function violation(printed: string, path: string, constraint: string): string {
  return `Value '${printed}' at '${path}' failed to satisfy constraint: ${constraint}`;
}

type TypeNames = { string: string; number: number; boolean: boolean };

function expectType<N extends keyof TypeNames>(
  value: unknown,
  name: N,
  path: string,
): TypeNames[N] {
  if (typeof value !== name) throw wrongType(path, name);
  return value as TypeNames[N];
}

function wrongType(path: string, expected: string): ApiError {
  return new ApiError(
    'SerializationException',
    path === ''
      ? `The request must be a JSON object.`
      : `The value at '${path}' must be a ${expected}.`,
  );
}
