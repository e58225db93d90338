import type { FastifyRequest } from 'fastify';
import { Problem } from './problems.ts';

/**
 * PostgreSQL stores no NUL (https://www.postgresql.org/docs/current/datatype-character.html), so no id, name or text of ours
 * has one: an address with `%00` is refused before anybody asks for it. Bodies are checked where they are parsed.
 */
export async function refuseNul(request: FastifyRequest): Promise<void> {
  if (!request.url.includes('%00')) return;
  throw new Problem('invalid-request', {
    detail: 'the address has a NUL character (%00); no id, name or text has one',
  });
}
