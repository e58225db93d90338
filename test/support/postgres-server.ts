import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { migrate } from '../../jobs/store/migrate.ts';
import { findFreePort } from '../../local/processes/free-port.ts';
import { guard } from '../../local/processes/guard.ts';
import { startPostgres } from '../../local/postgres/start-postgres.ts';

/** The database that every test database is cloned from: migrated, empty. */
export const TEMPLATE = 'pawl_template';

export interface TestServer {
  /** The connection string of the server's own database `postgres`. */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts a PostgreSQL in a temporary directory and migrates the template.
 *
 * It ends, and its directory goes, with this process, even if nobody calls `stop` and whatever kills the process.
 */
export async function startTestServer(): Promise<TestServer> {
  const dir = mkdtempSync(join(tmpdir(), 'pawl-test-'));
  const server = await startPostgres({
    dataDir: join(dir, 'postgres'),
    port: await findFreePort(),
    password: 'test',
    logFile: join(dir, 'postgres.log'),
  });
  const cleaner = guard(server.pid, 'INT', 'rm -rf -- "$1"', [dir]);
  server.unref();
  const url = server.urlOf('postgres');
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  await sql`create database ${sql(TEMPLATE)}`;
  await sql.end();
  await migrate(server.urlOf(TEMPLATE));
  return {
    url,
    stop: async () => {
      await server.stop();
      rmSync(dir, { recursive: true, force: true });
      cleaner.release();
    },
  };
}
