import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readSync,
  statSync,
  truncateSync,
} from 'node:fs';

const MAX_BYTES = 20 * 1_048_576;
const SHOWN_LINES = 12;
const MAX_READ_BYTES = 1_048_576;

export const sizeOf = (file: string): number => (existsSync(file) ? statSync(file).size : 0);

export interface LogPart {
  readonly text: string;
  /** The position behind the text. */
  readonly end: number;
}

/** What was written behind `start`, at most its last MiB. */
export function readSince(file: string, start: number): LogPart {
  const end = sizeOf(file);
  const length = Math.min(end - start, MAX_READ_BYTES);
  if (length <= 0) return { text: '', end };
  const buffer = Buffer.alloc(length);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, buffer, 0, length, end - length);
  } finally {
    closeSync(descriptor);
  }
  return { text: buffer.toString('utf8'), end };
}

/** The last lines behind `start`, for an error message. */
export const endOfLog = (file: string, start: number): string =>
  readSince(file, start).text.trim().split('\n').slice(-SHOWN_LINES).join('\n');

/**
 * Keeps a log bounded: past 20 MiB it becomes `<file>.1` and starts again. True when that happened.
 *
 * It is copied and emptied rather than renamed, because its writer keeps it open (for appending, so it goes on at the start).
 */
export function rotate(file: string): boolean {
  if (sizeOf(file) < MAX_BYTES) return false;
  copyFileSync(file, `${file}.1`);
  truncateSync(file);
  return true;
}
