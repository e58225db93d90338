/** Which page of docs/runbooks/ goes with a failure code. */
const pages: readonly (readonly [pattern: RegExp, page: string])[] = [
  [/^EFFECT_/, 'held-effects.md'],
  [/^PROVIDER_/, 'provider-down.md'],
  [/^DATABASE_/, 'database-slow.md'],
  [/^EXECUTION_/, 'stuck-jobs.md'],
];

export const runbookOf = (code: string): string =>
  pages.find(([pattern]) => pattern.test(code))?.[1] ?? 'bulk-redrive.md';
