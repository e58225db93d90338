import { randomBytes } from 'node:crypto';
import { after } from 'node:test';
import postgres from 'postgres';
import { startTestServer, TEMPLATE } from './postgres-server.ts';

export interface TestDatabase {
  readonly url: string;
  /** Also done by itself when the file's tests are over; may be called twice. */
  drop(): Promise<void>;
}

/**
 * A migrated, empty database for one test file: call it once, at the top of the file, with `await`.
 *
 * `npm test` runs one server for all files and tells its address in TEST_POSTGRES_URL; a file run alone starts its own.
 */
export async function testDatabase(): Promise<TestDatabase> {
  const shared = process.env['TEST_POSTGRES_URL'];
  const own = shared === undefined ? await startTestServer() : undefined;
  const serverUrl = shared ?? own?.url ?? '';
  const name = `test_${randomBytes(6).toString('hex')}`;
  await onServer(serverUrl, (sql) => sql`create database ${sql(name)} template ${sql(TEMPLATE)}`);
  const drop = async (): Promise<void> => {
    if (own) await own.stop();
    else await onServer(serverUrl, (sql) => sql`drop database if exists ${sql(name)} with (force)`);
  };
  after(drop);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop };
}

async function onServer(
  url: string,
  statement: (sql: postgres.Sql) => PromiseLike<unknown>,
): Promise<void> {
  const sql = postgres(url, { max: 1, fetch_types: false, onnotice: () => undefined });
  try {
    await statement(sql);
  } finally {
    await sql.end();
  }
}
