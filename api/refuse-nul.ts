import type { FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { Problem } from './problems.ts';

/**
 * PostgreSQL stores no NUL (https://www.postgresql.org/docs/current/datatype-character.html), so no id, name or text of ours
 * has one: an address with `%00` is refused before anybody asks for it. Bodies are checked where they are parsed.
 */
export function refuseNul(
  { params, query }: FastifyRequest,
  _reply: unknown,
  done: HookHandlerDoneFunction,
): void {
  const errors = Object.entries({ ...asRecord(params), ...asRecord(query) })
    .filter(([, value]) => String(value).includes('\0'))
    .map(([name]) => ({
      pointer: `/${name}`,
      message: 'has a NUL character (%00), and nothing does',
    }));
  done(errors.length > 0 ? new Problem('invalid-request', { errors }) : undefined);
}

const asRecord = (value: unknown): object =>
  typeof value === 'object' && value !== null ? value : {};
