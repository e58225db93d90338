import { classify } from '../../jobs/classify.ts';
import { type JobError, storableText, Terminal, Transient } from '../../jobs/failure.ts';

const maxMessageBytes = 8 * 1024;

/**
 * Whatever was thrown, as Lambda is to report it: `errorType` is the error's name, Transient or Terminal, and
 * `errorMessage` its message, JSON `{code, state, message}` of at most 8 KiB. The stack goes to the log only: Lambda
 * would send it on as `trace`, and a `Cause` has room for 32,768 characters.
 */
export function taskFailure(error: unknown, state: string): JobError {
  const { name, code, message } = classify(error);
  const text = failureText(code, state, message);
  const failure = name === 'Transient' ? new Transient(code, text) : new Terminal(code, text);
  failure.stack = `${name}: ${code}`;
  return failure;
}

function failureText(code: string, state: string, message: string): string {
  for (let bytes = maxMessageBytes - 256; ; bytes = Math.floor(bytes / 2)) {
    const text = JSON.stringify({
      code,
      state: storableText(state, 80),
      message: storableText(message, bytes),
    });
    // Quotes and control characters grow when they are escaped.
    if (Buffer.byteLength(text) <= maxMessageBytes) return text;
  }
}
