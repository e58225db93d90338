import { getOwn, isJsonObject, type Json, type JsonObject } from '../language/json.ts';
import type { QueryLanguage } from '../definition/ast.ts';
import type { Diagnostic, DiagnosticCode } from '../definition/diagnostic.ts';

/** Where a validation stands in the definition, and whom it tells. */
export type Place = {
  readonly location: string;
  readonly queryLanguage: QueryLanguage;
  readonly machineType: 'STANDARD' | 'EXPRESS';
  readonly diagnostics: Diagnostic[];
};

export function at(place: Place, name: string): Place {
  return { ...place, location: `${place.location}/${name}` };
}

export function report(place: Place, message: string, code?: DiagnosticCode): void {
  place.diagnostics.push({
    severity: 'ERROR',
    code: code ?? 'SCHEMA_VALIDATION_FAILED',
    message,
    location: place.location === '' ? '/' : place.location,
  });
}

export function warn(place: Place, message: string, code: DiagnosticCode): void {
  place.diagnostics.push({ severity: 'WARNING', code, message, location: place.location });
}

/** A check of one field's value at its own place. */
export type Check = (value: Json, place: Place) => void;

/** The object at a place, or undefined after saying what is wrong. */
export function expectObject(value: Json | undefined, place: Place): JsonObject | undefined {
  if (isJsonObject(value)) return value;
  report(place, 'Expected value of type [OBJECT]');
  return undefined;
}

export function expectArray(value: Json | undefined, place: Place): Json[] | undefined {
  if (!Array.isArray(value)) {
    report(place, 'Expected value of type [ARRAY]');
    return undefined;
  }
  if (value.length === 0) report(place, 'Value cannot be empty');
  return value;
}

/** Says which of the fields are missing, and which are none of this object's. */
export function checkFieldNames(
  fields: JsonObject,
  allowed: Readonly<Record<string, unknown>>,
  required: readonly string[],
  place: Place,
): void {
  const missing = required.filter((name) => !Object.hasOwn(fields, name));
  if (missing.length > 0) report(place, `These fields are required: [${missing.join(', ')}]`);
  for (const name of Object.keys(fields)) {
    if (!Object.hasOwn(allowed, name)) report(place, `Field '${name}' is not supported`);
  }
}

/** Runs each present field's check at the field's place. */
export function checkFields(
  fields: JsonObject,
  checks: Readonly<Record<string, Check>>,
  place: Place,
): void {
  for (const [name, check] of Object.entries(checks)) {
    const value = getOwn(fields, name);
    if (value !== undefined) check(value, at(place, name));
  }
}

/** At most one of a field and its other forms. */
export function checkExclusive(fields: JsonObject, names: readonly string[], place: Place): void {
  const present = names.filter((name) => Object.hasOwn(fields, name));
  const [first] = present;
  if (present.length > 1 && first !== undefined) {
    report(at(place, first), `Only one of these fields is allowed: [${present.join(', ')}]`);
  }
}
