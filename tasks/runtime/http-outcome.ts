import type { LookupOutcome } from '../../jobs/effect-log.ts';
import type { CallOutcome } from '../../jobs/effect-decisions.ts';
import { storableText } from '../../jobs/failure.ts';
import type { ProviderResponse } from '../../jobs/store/effects.ts';
import type { HttpAnswer, HttpFailure } from './http-client.ts';

/** So much of a provider's answer is kept. */
const keptBodyBytes = 8 * 1024;

/** What the provider calls the thing it did, read from its answer. */
export type ReferenceOf = (response: ProviderResponse) => string | null;

/** What an HTTP answer says about whether the thing was done: the table of docs/decisions/effect-log.md. */
export function callOutcome(
  result: HttpAnswer | HttpFailure,
  referenceOf: ReferenceOf,
  now: Date,
  /** Statuses besides 2xx that say the provider has decided. */
  answers: readonly number[] = [],
): CallOutcome {
  if (result.kind === 'failed') {
    return { kind: result.sent ? 'unknown' : 'not-done', message: result.message };
  }
  const { status } = result;
  const response = { status, body: storableText(result.body, keptBodyBytes) };
  const message = `the provider answered ${status}${excerpt(result.body)}`;
  if ((status >= 200 && status < 300) || answers.includes(status)) {
    return { kind: 'done', completion: { reference: referenceOf(response), response } };
  }
  const retryAfterSeconds = secondsOf(result.retryAfter, now);
  if (status === 425 || status === 429 || (status === 503 && retryAfterSeconds !== undefined)) {
    return {
      kind: 'not-done',
      message,
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    };
  }
  // A redirect is not followed, so nothing was done; the address that is configured has to be mended.
  if (status !== 408 && status < 500) return { kind: 'refused', message, response };
  return { kind: 'unknown', message };
}

/** What the answer to a question says: 2xx = it was done, 404 = nothing is known of it. */
export function lookupOutcome(
  result: HttpAnswer | HttpFailure,
  referenceOf: ReferenceOf,
): LookupOutcome {
  if (result.kind === 'failed') return { kind: 'unknown', message: result.message };
  if (result.status === 404) return { kind: 'not-found' };
  if (result.status < 200 || result.status >= 300) {
    return { kind: 'unknown', message: `it answered ${result.status}${excerpt(result.body)}` };
  }
  const response = { status: result.status, body: storableText(result.body, keptBodyBytes) };
  return { kind: 'found', completion: { reference: referenceOf(response), response } };
}

const excerpt = (body: string): string => (body === '' ? '' : `: ${storableText(body, 512)}`);

/** `Retry-After`: seconds or an HTTP date (RFC 9110, section 10.2.3); undefined where it is neither. */
export function secondsOf(retryAfter: string | undefined, now: Date): number | undefined {
  if (retryAfter === undefined) return undefined;
  if (/^\s*\d+\s*$/.test(retryAfter)) return Number(retryAfter);
  const at = Date.parse(retryAfter);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now.getTime()) / 1000));
}
