import type { PutEvents } from './status-publisher.ts';

const TIMEOUT_MS = 10_000;

/** PutEvents over the wire (AWS JSON 1.1), on the default bus. */
export function putEventsTo(endpoint: string): PutEvents {
  return async (entries) => {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/x-amz-json-1.1',
        'X-Amz-Target': 'AWSEvents.PutEvents',
      },
      body: JSON.stringify({ Entries: entries }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text();
    if (!response.ok)
      throw new Error(`PutEvents answered ${response.status}: ${text.slice(0, 500)}`);
    return { failed: failedEntries(text) };
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
