import type { Sql } from '../../jobs/store/connect.ts';

/**
 * Ends the other connections to the database, but for those whose application is named `except`, and waits until they have
 * ended: a backend tells what it has counted (commits, deadlocks) when it ends, else up to ten seconds later.
 */
export async function endOtherBackends(sql: Sql, except = ''): Promise<void> {
  await sql`
    select pg_terminate_backend(pid, 2000) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and application_name <> ${except}`;
}

/** How many deadlocks there have been in the database, as far as its backends have told. */
export async function toldDeadlocks(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select deadlocks::integer as count from pg_stat_database where datname = current_database()`;
  if (row === undefined) throw new Error('the database has no statistics');
  return row.count;
}

/** All of them: ends the database's other connections first. */
export async function countDeadlocks(sql: Sql): Promise<number> {
  await endOtherBackends(sql);
  return await toldDeadlocks(sql);
}
