import type { Sql } from '../../jobs/store/connect.ts';
import type { RunningPawl } from './start-pawl.ts';
import { waitFor } from './wait-for.ts';

/** A statement by its beginning, without parameters; how often it ran, and what it wrote. */
export type StatementCount = {
  readonly statement: string;
  readonly calls: number;
  readonly execMs: number;
  /** Without the full page images that follow a checkpoint. */
  readonly walBytes: number;
};

export type StatementCounts = {
  reset(): Promise<void>;
  read(): Promise<StatementCount[]>;
};

/** Counts the statements of a running Pawl by pg_stat_statements; its Postgres is killed and started again for that. */
export async function countStatements(pawl: RunningPawl, sql: Sql): Promise<StatementCounts> {
  await sql`alter system set shared_preload_libraries = 'pg_stat_statements'`;
  await pawl.kill('postgres');
  await waitFor(
    () =>
      sql`create extension if not exists pg_stat_statements`.then(
        () => true,
        () => undefined,
      ),
    20_000,
    'Postgres with pg_stat_statements',
  );
  return {
    reset: async () => {
      await sql`select pg_stat_statements_reset()`;
    },
    read: async () =>
      await sql<StatementCount[]>`
        select regexp_replace(query, '\\s+', ' ', 'g') as statement, calls::integer as calls,
               total_exec_time as "execMs", (wal_bytes - 8192 * wal_fpi)::double precision as "walBytes"
        from pg_stat_statements
        where dbid = (select oid from pg_database where datname = current_database())
          and query !~ 'pg_stat_statements'
        order by total_exec_time desc`,
  };
}
