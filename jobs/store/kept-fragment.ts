import type { PendingQuery, Row } from 'postgres';
import type { Sql } from './connect.ts';

type Fragment = PendingQuery<Row[]>;

/**
 * Text without values that stands in many statements, made when it is first needed: to the library (postgres 3.4.9) each
 * fragment is a query of its own, with a promise and what it takes to settle it. It is never awaited.
 */
export function keptFragment(make: (sql: Sql) => Fragment): (sql: Sql) => Fragment {
  let kept: Fragment | undefined;
  return (sql) => (kept ??= make(sql));
}
