import { optionalInteger, optionalText, type Request } from './request-fields.ts';

const MAX_LIMIT = 100;

/** One page of a list: `Limit` elements after those that `NextToken` says were given already. */
export function page<T>(
  all: readonly T[],
  request: Request,
): { readonly items: readonly T[]; readonly NextToken: string | undefined } {
  const start = Number(optionalText(request, 'NextToken') ?? 0);
  const limit = Math.min(optionalInteger(request, 'Limit') ?? MAX_LIMIT, MAX_LIMIT);
  const end = start + limit;
  return { items: all.slice(start, end), NextToken: end < all.length ? String(end) : undefined };
}
