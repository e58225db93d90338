import { createHash } from 'node:crypto';
import { ApiError } from './api-error.ts';

const DEFAULT_PAGE = 100;
/** AWS: "keep all other arguments unchanged; each pagination token expires after 24 hours". */
const TOKEN_LIFE_MS = 24 * 60 * 60 * 1000;

export type Page = { readonly limit: number; readonly offset: number };

type PageRequest = { readonly maxResults?: number; readonly nextToken?: string };

/** `scope` is what is listed, with its filters: a token is good only for the list it came from. */
export function readPage({ maxResults, nextToken }: PageRequest, scope: string, now: number): Page {
  // AWS: 0 means the default.
  const limit = maxResults || DEFAULT_PAGE;
  if (nextToken === undefined) return { limit, offset: 0 };
  const [offset, expires, mark] = Buffer.from(nextToken, 'base64url').toString().split('.');
  if (!/^\d+$/.test(offset ?? '') || !(Number(expires) >= now) || mark !== markOf(scope)) {
    throw new ApiError('InvalidToken', `Invalid Token: 'Invalid token'`);
  }
  return { limit, offset: Number(offset) };
}

/** Cuts a list that was asked for with one item more than fits, and names the next page if there is one. */
export function cutPage<T>(
  items: readonly T[],
  { limit, offset }: Page,
  scope: string,
  now: number,
): { items: readonly T[]; nextToken?: string } {
  if (items.length <= limit) return { items };
  const token = [offset + limit, now + TOKEN_LIFE_MS, markOf(scope)].join('.');
  return { items: items.slice(0, limit), nextToken: Buffer.from(token).toString('base64url') };
}

function markOf(scope: string): string {
  return createHash('sha256').update(scope).digest('base64url').slice(0, 16);
}
