/** Which page of docs/runbooks/ goes with a failure code; the others are explained on the page of all codes. */
const pages: readonly (readonly [pattern: RegExp, page: string])[] = [
  [/^EFFECT_(OUTCOME_UNKNOWN|ABANDONED)$/, 'held-effects.md'],
  [/^(PROVIDER_UNAVAILABLE|PAYMENT_TIMED_OUT)$/, 'provider-down.md'],
  [/^DATABASE_/, 'database-slow.md'],
  [/^EXECUTION_(LOST|STILL_RUNNING|TIMED_OUT)$/, 'stuck-jobs.md'],
  [/^(MESSAGE_|SCHEMA_VERSION_|REQUEST_HASH_|JOB_UNKNOWN)/, 'dead-letters-and-quarantine.md'],
];

export const runbookOf = (code: string): string =>
  pages.find(([pattern]) => pattern.test(code))?.[1] ?? `failure-codes.md#${code}`;
