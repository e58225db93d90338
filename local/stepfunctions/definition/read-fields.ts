import { getOwn, isJsonObject, type Json, type JsonObject } from '../language/json.ts';
import { compileJsonataTemplate, isExpression } from '../language/jsonata-template.ts';
import { compileJsonPathTemplate, compileJsonPathValue } from '../language/jsonpath-template.ts';
import { parseJsonPath } from '../language/jsonpath/parse-jsonpath.ts';
import { parseReferencePath, type ReferencePath } from '../language/jsonpath/reference-path.ts';
import type { Template } from '../language/template.ts';
import type { NumberField, PathField, QueryLanguage, TextField, TimestampField } from './ast.ts';
import { DefinitionError } from './definition-error.ts';

/** An object of a definition while it is read: where it is, and in which query language its fields are. */
export type Source = {
  readonly fields: JsonObject;
  readonly location: string;
  readonly queryLanguage: QueryLanguage;
  /** The place within its state by which causes name fields: `` for the state itself, `Catch[0]/`, … */
  readonly prefix: string;
};

export function field(source: Source, name: string): Json | undefined {
  return getOwn(source.fields, name);
}

export function readText(source: Source, name: string): string {
  const value = readOptionalText(source, name);
  if (value === undefined) throw problem(source, name, `The field '${name}' is required`);
  return value;
}

export function readOptionalText(source: Source, name: string): string | undefined {
  const value = field(source, name);
  if (value === undefined || typeof value === 'string') return value;
  throw problem(source, name, `The field '${name}' must be a string`);
}

export function readOptionalNumber(source: Source, name: string): number | undefined {
  const value = field(source, name);
  if (value === undefined || typeof value === 'number') return value;
  throw problem(source, name, `The field '${name}' must be a number`);
}

/** An object inside; its fields are named by `prefix` in causes. */
export function readObject(source: Source, name: string): Source | undefined {
  const value = field(source, name);
  if (value === undefined) return undefined;
  return asSource(source, value, name);
}

/** The objects of a list; `prefix` becomes `Catch[0]/`. */
export function readObjects(source: Source, name: string): Source[] {
  const value = field(source, name) ?? [];
  if (!Array.isArray(value)) throw problem(source, name, `The field '${name}' must be an array`);
  return value.map((each, index) => asSource(source, each, `${name}[${index}]`));
}

function asSource(parent: Source, value: Json, name: string): Source {
  if (!isJsonObject(value)) throw problem(parent, name, `The field '${name}' must be an object`);
  return {
    fields: value,
    location: `${parent.location}/${name}`,
    queryLanguage: parent.queryLanguage,
    prefix: `${parent.prefix}${name}/`,
  };
}

/** A template in the source's query language; undefined when the field is missing. */
export function readTemplate(source: Source, name: string): Template | undefined {
  const value = field(source, name);
  if (value === undefined) return undefined;
  if (source.queryLanguage === 'JSONata')
    return compileJsonataTemplate(value, source.prefix + name);
  return compile(source, name, () => compileJsonPathTemplate(value));
}

/** `null` is kept: it discards. */
export function readPath(source: Source, name: string): PathField | null | undefined {
  const value = field(source, name);
  if (value === undefined || value === null) return value;
  return pathField(source, name, readText(source, name));
}

export function readReferencePath(source: Source, name: string): ReferencePath | null | undefined {
  const value = field(source, name);
  if (value === undefined || value === null) return value;
  const text = readText(source, name);
  return compile(source, name, () => parseReferencePath(text));
}

/** A number at `name`, as an expression in JSONata, or by a path at `${name}Path`. */
export function readNumberField(source: Source, name: string): NumberField | undefined {
  const byPath = readOptionalText(source, `${name}Path`);
  if (byPath !== undefined) {
    return { kind: 'path', ...pathField(source, `${name}Path`, byPath) };
  }
  const value = field(source, name);
  if (value === undefined) return undefined;
  if (typeof value === 'number') return { kind: 'value', value };
  if (isExpression(value)) return expressionField(source, name, value);
  throw problem(source, name, `The field '${name}' must be a number`);
}

/** A text at `name`, as an expression in JSONata, or by a path or intrinsic call at `${name}Path`. */
export function readTextField(source: Source, name: string): TextField | undefined {
  const byPath = readOptionalText(source, `${name}Path`);
  if (byPath !== undefined) {
    const pathName = `${name}Path`;
    const template = compile(source, pathName, () => compileJsonPathValue(byPath, pathName));
    return { kind: 'path', field: pathName, template };
  }
  const value = readOptionalText(source, name);
  if (value === undefined) return undefined;
  if (source.queryLanguage === 'JSONata' && isExpression(value)) {
    return expressionField(source, name, value);
  }
  return { kind: 'value', value };
}

/** A moment at Timestamp, or by a path at TimestampPath. */
export function readTimestampField(source: Source): TimestampField | undefined {
  const byPath = readOptionalText(source, 'TimestampPath');
  if (byPath !== undefined) {
    return { kind: 'path', ...pathField(source, 'TimestampPath', byPath) };
  }
  const value = readOptionalText(source, 'Timestamp');
  if (value === undefined) return undefined;
  if (source.queryLanguage === 'JSONata' && isExpression(value)) {
    return expressionField(source, 'Timestamp', value);
  }
  return { kind: 'value', value };
}

function expressionField(source: Source, name: string, value: string) {
  const fieldName = source.prefix + name;
  const template = compileJsonataTemplate(value, fieldName);
  return { kind: 'expression' as const, field: fieldName, template };
}

export function pathField(source: Source, name: string, text: string): PathField {
  return { field: name, path: compile(source, name, () => parseJsonPath(text)) };
}

export function compile<T>(source: Source, name: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw problem(source, name, error instanceof Error ? error.message : String(error));
  }
}

export function problem(source: Source, name: string, message: string): DefinitionError {
  return new DefinitionError(message, `${source.location}/${name}`);
}
