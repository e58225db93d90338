import { invalidArgument } from '../s3-error.ts';

const maxPageSize = 1000;

/** A `max-keys` and its like: 0 and up, at most 1,000 are given at a time. */
export function parsePageSize(name: string, text: string | undefined): number {
  if (text === undefined) return maxPageSize;
  if (!/^\d{1,10}$/.test(text)) {
    throw invalidArgument(
      name,
      text,
      `Argument ${name} must be an integer between 0 and 2147483647`,
    );
  }
  return Math.min(Number(text), maxPageSize);
}
