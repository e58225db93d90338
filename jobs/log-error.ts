import { pino } from 'pino';

/** What a PostgresError carries of the data it met: the row that broke a constraint stands in `detail`. */
const withData = new Set([
  'detail',
  'where',
  'internal_query',
  'query',
  'parameters',
  'args',
  'types',
]);

/** pino's serializer of `err`, without the fields that may hold a client's payload or key. */
export function logError(error: Error): object {
  const { raw: _, ...shown } = pino.stdSerializers.err(error);
  return Object.fromEntries(Object.entries(shown).filter(([name]) => !withData.has(name)));
}
