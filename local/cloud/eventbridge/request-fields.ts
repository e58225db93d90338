import { isRecord } from './comparison.ts';
import { ServiceError } from './service-error.ts';

export type Request = Readonly<Record<string, unknown>>;

/** A required string of the request; throws ValidationException when it is missing or does not match. */
export function requiredText(request: Request, field: string, shape: RegExp): string {
  const value = optionalText(request, field);
  if (value !== undefined && shape.test(value)) return value;
  const shown = value === undefined ? 'null' : value;
  throw new ServiceError(
    'ValidationException',
    `1 validation error detected: Value '${shown}' at '${lowerFirst(field)}' failed to satisfy constraint: ` +
      (value === undefined
        ? 'Member must not be null'
        : `Member must satisfy regular expression pattern: ${shape.source}`),
  );
}

export function optionalText(request: Request, field: string): string | undefined {
  const value = request[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  throw new ServiceError('SerializationException', `${field} must be a string`);
}

export function optionalInteger(request: Request, field: string): number | undefined {
  const value = request[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  throw new ServiceError('SerializationException', `${field} must be a whole number`);
}

/** A required list of 1 to `most` elements. */
export function requiredList(request: Request, field: string, most: number): readonly unknown[] {
  const value = request[field];
  if (Array.isArray(value) && value.length >= 1 && value.length <= most) return value;
  const problem = !Array.isArray(value)
    ? 'Member must not be null'
    : `Member must have length ${value.length === 0 ? 'greater than or equal to 1' : `less than or equal to ${most}`}`;
  throw new ServiceError(
    'ValidationException',
    `1 validation error detected: Value at '${lowerFirst(field)}' failed to satisfy constraint: ${problem}`,
  );
}

export function asObject(value: unknown, what: string): Request {
  if (isRecord(value)) return value;
  throw new ServiceError('SerializationException', `${what} must be an object`);
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
