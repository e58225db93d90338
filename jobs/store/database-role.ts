import type { Sql } from './connect.ts';

const seconds = { statement_timeout: 10, lock_timeout: 5, idle_in_transaction_session_timeout: 10 };

/**
 * Makes the role as which Pawl's processes log in, or brings it up to date: it reads and writes rows and changes no
 * table. What the caller's role makes later is granted as well, so this runs before the migrations. On RDS the role
 * logs in by IAM (the server's own role rds_iam); the timeouts stand on the role, because a session that sets them is
 * pinned to its connection behind RDS Proxy.
 */
export async function prepareRole(sql: Sql, role: string): Promise<void> {
  const [known] = await sql`select 1 from pg_roles where rolname = ${role}`;
  if (known === undefined) await sql`create role ${sql(role)} login`;
  const [rds] = await sql`select 1 from pg_roles where rolname = 'rds_iam'`;
  if (rds !== undefined) await sql`grant rds_iam to ${sql(role)}`;
  for (const [setting, value] of Object.entries(seconds)) {
    await sql.unsafe(`alter role "${role}" set ${setting} = '${value}s'`);
  }
  await sql`grant usage on schema public to ${sql(role)}`;
  await sql`grant select, insert, update, delete on all tables in schema public to ${sql(role)}`;
  await sql`grant usage, select on all sequences in schema public to ${sql(role)}`;
  await sql`
    alter default privileges in schema public
    grant select, insert, update, delete on tables to ${sql(role)}`;
  await sql`
    alter default privileges in schema public grant usage, select on sequences to ${sql(role)}`;
}
