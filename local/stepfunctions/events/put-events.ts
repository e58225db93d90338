import { postTo } from '../post.ts';
import type { PutEvents } from './status-publisher.ts';

const TIMEOUT_MS = 10_000;

/** PutEvents over the wire (AWS JSON 1.1), on the default bus. */
export function putEventsTo(endpoint: string): PutEvents {
  const post = postTo(endpoint);
  return async (entries) => {
    const late = new AbortController();
    const timer = setTimeout(() => {
      late.abort(new Error(`no answer to PutEvents within ${TIMEOUT_MS} ms`));
    }, TIMEOUT_MS);
    try {
      const { status, body } = await post({
        headers: {
          'Content-Type': 'application/x-amz-json-1.1',
          'X-Amz-Target': 'AWSEvents.PutEvents',
        },
        body: JSON.stringify({ Entries: entries }),
        signal: late.signal,
      });
      if (status !== 200) throw new Error(`PutEvents answered ${status}: ${body.slice(0, 500)}`);
      return { failed: failedEntries(body) };
    } finally {
      clearTimeout(timer);
    }
  };
}

function failedEntries(text: string): number[] {
  const answer: unknown = JSON.parse(text);
  if (typeof answer !== 'object' || answer === null || !('Entries' in answer)) return [];
  const { Entries: entries } = answer;
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry: unknown, index) =>
    typeof entry === 'object' && entry !== null && 'ErrorCode' in entry && entry.ErrorCode
      ? [index]
      : [],
  );
}
