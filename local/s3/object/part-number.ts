import { invalidArgument } from '../s3-error.ts';

export const maxPartNumber = 10_000;

/** A part number as sent: a whole number from 1 to 10,000. */
export function parsePartNumber(text: string): number {
  const number = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= maxPartNumber) return number;
  throw invalidArgument(
    'partNumber',
    text,
    `Part number must be an integer between 1 and ${maxPartNumber}, inclusive`,
  );
}
