import type { FailureCode } from './failure-codes.ts';

type Options = { readonly cause?: unknown; readonly retryAfterSeconds?: number | undefined };

/** What tasks and the dispatcher throw: either Transient or Terminal, each with a code of the closed list. */
export abstract class JobError extends Error {
  abstract override readonly name: 'Transient' | 'Terminal';
  readonly code: FailureCode;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: FailureCode, message: string, options: Options = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : {});
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/**
 * May succeed when tried again with nothing changed. The name becomes Lambda's `errorType`, which `Retry`
 * matches by `ErrorEquals` (https://docs.aws.amazon.com/lambda/latest/dg/nodejs-exceptions.html).
 */
export class Transient extends JobError {
  override readonly name = 'Transient';
}

/** Will fail again in the same way; no state retries it. */
export class Terminal extends JobError {
  override readonly name = 'Terminal';
}

/** `failure` of a job, as GET /jobs/:jobId shows it. `state` is the ASL state that failed, where one did. */
export type Failure = {
  readonly code: FailureCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly state: string | null;
};

const maxMessageBytes = 8 * 1024;

/**
 * Any text as one that Postgres, JSON and Step Functions all take: valid UTF-8 without NUL, at most 8 KiB.
 * An error text from a provider must never block a status change.
 */
export function storableText(text: string, maxBytes = maxMessageBytes): string {
  const clean = text.toWellFormed().replaceAll('\u0000', '\u{FFFD}');
  const bytes = Buffer.from(clean, 'utf8');
  if (bytes.length <= maxBytes) return clean;
  // Cut at a character's boundary: a UTF-8 continuation byte is 10xxxxxx.
  let end = maxBytes - 3;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${bytes.subarray(0, end).toString('utf8')}…`;
}
