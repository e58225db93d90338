import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import Postgrator from 'postgrator';
import postgres from 'postgres';
import type { Sql } from './connect.ts';

const folder = fileURLToPath(new URL('../../migrations/', import.meta.url));
const lockKey = 7_261_003; // any number of our own; two migrations of one database take turns by it

/** The newest migration in this source tree. */
export function newestMigration(): number {
  const versions = readdirSync(folder).flatMap((name) => {
    const match = /^(\d+)\.do\./.exec(name);
    return match?.[1] === undefined ? [] : [Number(match[1])];
  });
  return Math.max(0, ...versions);
}

/**
 * Brings the database to this source tree's schema, one transaction a file, and says which files it applied: none where
 * the database is newer already, as after a rollback. Safe to run from several processes at once. Throws where an
 * applied file was edited since.
 */
export async function migrate(databaseUrl: string): Promise<string[]> {
  const sql = postgres(databaseUrl, { max: 1, fetch_types: false, onnotice: () => undefined });
  try {
    await takeLock(sql);
    return await applyPending(sql);
  } finally {
    // Ending the session gives the lock back as well.
    await sql.end({ timeout: 5 });
  }
}

/** Polls: a blocking pg_advisory_lock deadlocks with CREATE INDEX CONCURRENTLY, which waits for its snapshot. */
async function takeLock(sql: Sql): Promise<void> {
  const deadline = Date.now() + 120_000;
  while (Date.now() < deadline) {
    const [row] = await sql<
      { locked: boolean }[]
    >`select pg_try_advisory_lock(${lockKey}) as locked`;
    if (row?.locked === true) return;
    await delay(100);
  }
  throw new Error(
    'another migration has held the lock for two minutes; end it or wait for it, then run this again',
  );
}

async function applyPending(sql: Sql): Promise<string[]> {
  const postgrator = new Postgrator({
    migrationPattern: `${folder}*.sql`,
    driver: 'pg',
    schemaTable: 'public.schema_migrations',
    execQuery: async (query) => ({ rows: await sql.unsafe(query) }),
    execSqlScript: async (script) => {
      await sql.unsafe(script);
    },
  });
  const applied: string[] = [];
  const newest = newestMigration();
  let version = await postgrator.getDatabaseVersion();
  while (version < newest) {
    // A number is skipped where no file has it; the file and the row that records it commit together.
    await sql.unsafe('begin');
    const done = await postgrator.migrate(String(version + 1));
    await sql.unsafe('commit');
    applied.push(...done.map((migration) => migration.filename.slice(folder.length)));
    version += 1;
  }
  return applied;
}

/** The database lacks migrations that this source tree needs. */
export class SchemaTooOldError extends Error {
  override readonly name = 'SchemaTooOldError';
  constructor(found: number, wanted: number) {
    super(
      `the database is at migration ${found}, this code needs ${wanted}: run "npm run migrate" with DATABASE_URL set`,
    );
  }
}

/**
 * Throws SchemaTooOldError where the database lacks a migration of this source tree. A newer one is as good: migrations
 * run before the services change, and the processes of before go on meanwhile (docs/decisions/newer-schema.md).
 */
export async function assertSchema(sql: Sql): Promise<void> {
  const [table] = await sql<{ present: boolean }[]>`
    select to_regclass('public.schema_migrations') is not null as present`;
  const [row] =
    table?.present === true
      ? await sql<
          { version: number }[]
        >`select max(version)::integer as version from public.schema_migrations`
      : [];
  const found = row?.version ?? 0;
  if (found < newestMigration()) throw new SchemaTooOldError(found, newestMigration());
}
