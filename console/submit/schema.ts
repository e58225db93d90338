import { formatExact, type Json } from '../api/exact-json.ts';
import { isRecord } from '../graph/definition.ts';

/** A JSON Schema as job types have it. */
export type Schema = Readonly<Record<string, unknown>>;
export const schemaOf = (value: unknown): Schema => (isRecord(value) ? value : {});

/** A member that is written in a few words: text, a number, true or false; undefined for anything else. */
export const wordOf = (value: unknown): string | undefined =>
  typeof value === 'string' ||
  typeof value === 'number' ||
  typeof value === 'bigint' ||
  typeof value === 'boolean'
    ? `${value}`
    : undefined;

export function typeOf(schema: Schema): string {
  const { type, enum: values, anyOf, const: only } = schema;
  const isChoice =
    Array.isArray(values) ||
    only !== undefined ||
    (Array.isArray(anyOf) && anyOf.every((one: unknown) => schemaOf(one)['const'] !== undefined));
  if (isChoice) return 'enum';
  return typeof type === 'string' ? type : 'string';
}

/** What a form begins with: objects with their required members, lists with one item, a choice of one as chosen. */
export function exampleOf(schema: Schema): unknown {
  const type = typeOf(schema);
  if (type === 'object') {
    const required = Array.isArray(schema['required']) ? schema['required'] : [];
    const properties = Object.entries(isRecord(schema['properties']) ? schema['properties'] : {});
    return Object.fromEntries(
      properties
        .filter(([name]) => required.includes(name))
        .map(([name, inner]) => [name, exampleOf(schemaOf(inner))]),
    );
  }
  if (type === 'array') return [exampleOf(schemaOf(schema['items']))];
  if (type === 'boolean') return false;
  return schema['const'];
}

/**
 * Pure: the JSON text of what a form holds. Fields hold text, also for numbers, which go out digit by digit as they
 * were written; what is left empty is left out.
 */
export function jsonOf(schema: Schema, value: unknown): string {
  return formatExact(valueOf(schema, value) ?? {});
}

function valueOf(schema: Schema, value: unknown): Json | undefined {
  if (value === undefined || value === '') return undefined;
  const type = typeOf(schema);
  if (type === 'object' && isRecord(value)) {
    const properties = isRecord(schema['properties']) ? schema['properties'] : {};
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, member]) => {
        const inner = valueOf(schemaOf(properties[name]), member);
        return inner === undefined ? [] : [[name, inner]];
      }),
    );
  }
  if (type === 'array' && Array.isArray(value)) {
    return value.flatMap((item) => valueOf(schemaOf(schema['items']), item) ?? []);
  }
  if (type === 'integer' && typeof value === 'string' && /^-?\d+$/.test(value))
    return BigInt(value);
  if (type === 'number' && typeof value === 'string' && value.trim() !== '') return Number(value);
  return typeof value === 'boolean' ? value : wordOf(value);
}
