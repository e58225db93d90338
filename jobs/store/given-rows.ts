import type { PendingQuery, Row } from 'postgres';
import type { Sql } from './connect.ts';

/**
 * A list as rows, for a statement that looks each of them up by its key; `columns` are their names and types in SQL.
 *
 * The planner takes what comes out of jsonb_to_recordset for a hundred rows, reads a table that was young when the
 * statement was prepared as a whole to join them, and keeps to that while the table grows (until it is analysed). A limit
 * whose number it does not know it takes for a tenth: two of them leave one row, which is looked up by an index.
 */
export const givenRows = (
  sql: Sql,
  rows: readonly object[],
  columns: PendingQuery<Row[]>,
): PendingQuery<Row[]> => sql`
  select * from (
    select * from jsonb_to_recordset(${sql.json(rows as never)}) as given (${columns}) limit ${rows.length}
  ) as given limit ${rows.length}`;
